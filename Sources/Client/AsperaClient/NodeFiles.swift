// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageClient

/// The operations of a Node API on files and folders, for one of the two ways in which a node identifies files.
///
/// ``PathFiles`` identifies files by paths, and requires Basic authorization. ``IdentifiedFiles`` identifies files by
/// IDs, and is the only way for bearer tokens.
protocol NodeFiles: Sendable {
  /// Requests the description of a file or a folder.
  ///
  /// - Throws: `ServiceError` of the kind `noSuchKey` if no file and no folder has the key.
  func entry(_ key: String) async throws -> NodeEntry

  /// Returns the unsorted entries of a folder, or `nil` if the folder does not exist or is a file.
  func entries(ofFolder key: String) async throws -> [NodeEntry]?

  /// Creates a folder and its parent folders, and succeeds if the folder exists.
  func createFolder(_ key: String) async throws

  /// Changes the name of a file or folder, which stays in its folder.
  ///
  /// - Parameters:
  ///   - key: The key of the file or folder.
  ///   - name: The new name, which is valid.
  func rename(_ key: String, to name: String) async throws

  /// Deletes files, and folders with their content.
  ///
  /// - Parameter files: The keys of the files and folders, each with its entry if that was just requested from the node.
  /// - Returns: For each key the node's error, or `nil` if the file or folder was deleted.
  func remove(_ files: [(key: String, entry: NodeEntry?)]) async throws -> [ServiceError?]

  /// Prepares the upload of a local file.
  func upload(of file: String, to key: String, in context: TransferContext) async throws -> PreparedTransfer

  /// Prepares the download of a file into a local folder, under the given name.
  func download(
    of key: String, to name: String, in folder: String, in context: TransferContext
  ) async throws -> PreparedTransfer
}

/// A transfer specification with the issuer of its tokens.
struct PreparedTransfer: Sendable {
  var specification: TransferSpec
  let issuer: any TokenIssuer
}
