// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth
internal import StorageCrypto

/// The rules for which files are transferred, which existing files are replaced, and what happens to the sources.
struct FileRules: Sendable {
  /// The size and the modification time of a file, by which files are selected and compared.
  struct Standing: Sendable, Equatable {
    let byteCount: Int64
    /// The modification time in seconds since 1970 (UTC).
    let modified: Int64
  }

  enum SourceFate: Sendable, Equatable {
    case keep
    case remove
    /// The file is moved into an archive folder on the same side.
    case move(to: String)
  }

  let links: SymbolicLinkPolicy
  let skipsSpecialFiles: Bool
  let sourceFate: SourceFate
  let removesSkipped: Bool
  let removesEmptyFolders: Bool
  let removesEmptySource: Bool
  let deletesBefore: Bool
  let savesExisting: Bool
  let keepsModificationTime: Bool
  let announcesSize: Bool
  let checksum: FileChecksum.Kind?
  let filter: NameFilter

  /// The folder for a manifest of all transferred files, empty for the default folder, or `nil` for no manifest.
  let manifestFolder: String?

  private let overwrite: OverwritePolicy
  /// The level of comparison with existing files (`-k`): none, attributes, sparse checksums or full checksums.
  private let comparison: Int
  private let newest: Int64?
  private let oldest: Int64?
  private let session: (index: Int, count: Int)

  private enum Manifest: String {
    case none, text
  }

  init(_ line: CommandLineReader, at date: Timestamp = .now) throws(Failure) {
    try line.checkRejections()
    overwrite = try line.word(.overwrite) ?? .different
    links = try line.word(.symbolicLinks) ?? .follow
    comparison = try line.number(.resume, in: 0...3) ?? 0
    newest = try line.time(.excludeNewer, date)
    oldest = try line.time(.excludeOlder, date)
    session = try line.session()
    skipsSpecialFiles = line[.skipSpecialFiles] != nil
    if let archive = line[.moveSources] {
      guard line[.removeSources] == nil else {
        throw .usage("Sources can be moved or removed, but not both")
      }
      sourceFate = .move(to: archive)
    } else {
      sourceFate = line[.removeSources] == nil ? .keep : .remove
    }
    removesSkipped = line[.removeSkipped] != nil
    guard !removesSkipped || sourceFate == .remove else {
      throw .usage("\(Option.removeSkipped.rawValue) requires \(Option.removeSources.rawValue)")
    }
    removesEmptyFolders = line[.removeEmptyFolders] != nil
    removesEmptySource = line[.removeEmptySource] != nil
    deletesBefore = line[.deleteBefore] != nil
    savesExisting = line[.saveBeforeOverwrite] != nil
    keepsModificationTime = line[.preserveTimes] != nil || line[.preserveModificationTime] != nil
    announcesSize = line[.noPrecalculation] == nil
    checksum = line[.checksum] == "none" ? nil : try line.word(.checksum)
    filter = try NameFilter(line)
    guard !deletesBefore || filter.isEmpty && newest == nil && oldest == nil else {
      throw .usage("\(Option.deleteBefore.rawValue) cannot be combined with options that exclude files")
    }
    let manifest: Manifest = try line.word(.manifest) ?? .none
    manifestFolder = manifest == .none ? nil : line[.manifestFolder] ?? ""
  }

  func includes(_ file: Standing) -> Bool {
    newest.map { file.modified <= $0 } ?? true && oldest.map { file.modified >= $0 } ?? true
  }

  /// Returns whether this session transfers the file at an index: the sessions of a transfer share its files.
  func isOwn(_ number: Int) -> Bool { number % session.count == session.index - 1 }

  var copiesLinks: Bool { links == .copy || links == .copyAndReplace }

  /// Whether an interrupted file is resumed if its size and time are unchanged: no checksums are compared.
  var resumes: Bool { comparison == 1 }

  /// Whether every file is transferred, regardless of an existing file at the destination.
  var replacesEverything: Bool { overwrite == .always || overwrite == .different && comparison == 0 }

  /// Returns whether a file replaces the existing file at its destination, which is `nil` if there is no such file.
  ///
  /// The size is the only attribute that is compared, as in ascp. Files of the same size can differ. Instead of
  /// comparing checksums, the simulator transfers such files again.
  func replaces(_ existing: Standing?, with file: Standing) -> Bool {
    guard let existing else { return true }
    let isOlder = existing.modified < file.modified
    let differs = comparison != 1 || existing.byteCount != file.byteCount
    return switch overwrite {
    case .never: false
    case .always: true
    case .different: differs
    case .older: isOlder
    case .differentAndOlder: differs && isOlder
    }
  }
}
