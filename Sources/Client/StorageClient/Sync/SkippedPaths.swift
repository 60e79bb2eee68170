// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// A file or a folder of the source that cannot be synchronized.
///
/// What has its path in the target, or a path below it, is not deleted: the source has it, in its way.
struct SkippedPath: Sendable {
  /// The path, in which bytes that are not UTF-8 are replaced.
  let path: String
  let reason: String
  /// The ASCII parts of a name that is not UTF-8, between which any bytes can be, or `nil` for another name.
  fileprivate let asciiParts: [[UInt8]]?
  /// The path of the folder, which is empty or ends with a slash.
  fileprivate let folder: String

  init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
    folder = ""
    asciiParts = nil
  }

  /// Creates a skipped file whose name is not UTF-8, in a folder whose path is empty or ends with a slash.
  init(undecodable name: FilePath.Component, in folder: String) {
    self.folder = folder
    path = folder + name.string
    reason = "Its name is not UTF-8."
    // Another tool may have transcoded the name: each byte that is not ASCII stands for any bytes.
    asciiParts = name.bytes.split(omittingEmptySubsequences: false) { $0 >= 0x80 }.map(Array.init)
  }

  /// Returns whether a name can be the undecodable name of this file in another encoding.
  fileprivate func resembles(_ name: ArraySlice<UInt8>) -> Bool {
    guard let asciiParts, let first = asciiParts.first, let last = asciiParts.last else { return false }
    guard name.count >= first.count + last.count, name.starts(with: first),
      name.reversed().starts(with: last.reversed())
    else { return false }
    var remainder = name.dropFirst(first.count).dropLast(last.count)
    for part in asciiParts.dropFirst().dropLast() where !part.isEmpty {
      // The earliest match leaves the most bytes for the parts that follow.
      guard let range = remainder.firstRange(of: part) else { return false }
      remainder = remainder[range.upperBound...]
    }
    return true
  }
}

/// The paths that a deletion must not touch, because the source has something there that it skipped.
struct SkippedPaths {
  /// The maximum number of undecodable names in one folder that are compared with each path, which bounds the work.
  private static let comparedNameLimit = 16

  /// The skipped files and folders with decodable names, by the bytes of their paths.
  private var exact: [[UInt8]: SkippedPath] = [:]
  /// The others, by the bytes of the paths of their folders.
  private var undecodable: [[UInt8]: [SkippedPath]] = [:]

  init(_ skipped: [SkippedPath]) {
    for skippedPath in skipped {
      if skippedPath.asciiParts != nil {
        undecodable[Array(skippedPath.folder.utf8), default: []].append(skippedPath)
      } else {
        exact[Array(skippedPath.path.utf8)] = skippedPath
      }
    }
  }

  /// Returns what the source skipped at a path or at a folder above it, or `nil`.
  func skipped(at path: String) -> SkippedPath? {
    if exact.isEmpty, undecodable.isEmpty { return nil }
    let bytes = Array(path.utf8)
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
      if let skippedPath = exact[Array(bytes[..<end])] { return skippedPath }
      if let candidates = undecodable[Array(bytes[..<start])] {
        // Of very many such names, one is taken for all.
        if candidates.count > Self.comparedNameLimit { return candidates.first }
        if let skippedPath = candidates.first(where: { $0.resembles(bytes[start..<end]) }) { return skippedPath }
      }
      start = end + 1
    }
    return nil
  }
}
