// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// A file or a folder of the source that cannot be synchronized.
///
/// The entries of the target with this path or below it are not deleted, because the source has a file or folder there.
struct SkippedPath: Sendable {
  /// The path, in which bytes that are not UTF-8 are replaced.
  let path: String
  let reason: String
  fileprivate let name: Name

  fileprivate enum Name {
    case decodable
    /// A name that is not UTF-8: the path of its folder, which is empty or ends with a slash, and the parts of the name
    /// that are the same in every encoding; any bytes can be between the parts.
    case undecodable(folder: String, knownParts: [[UInt8]])
  }

  init(_ path: String, because reason: String) {
    self.path = path
    self.reason = reason
    name = .decodable
  }

  /// Creates a skipped file or folder whose name is not UTF-8, in a folder whose path is empty or ends with a slash.
  init(undecodable name: FilePath.Component, in folder: String) {
    path = folder + name.string
    reason = "Its name is not UTF-8."
    // Another tool may have transcoded the name. A byte that is not ASCII stands for any bytes, and so does the next
    // byte, which can be the end of a character in Big5, Shift JIS, GBK and GB 18030.
    let bytes = Array(name.bytes)
    let parts = bytes.indices.split(omittingEmptySubsequences: false) { index in
      bytes[index] >= 0x80 || index > 0 && bytes[index - 1] >= 0x80
    }
    self.name = .undecodable(folder: folder, knownParts: parts.map { Array(bytes[$0.startIndex..<$0.endIndex]) })
  }

  /// Returns whether a name can be the undecodable name of this file in another encoding.
  fileprivate func resembles(_ name: ArraySlice<UInt8>) -> Bool {
    guard case .undecodable(_, let knownParts) = self.name, let first = knownParts.first, let last = knownParts.last,
      name.count >= first.count + last.count, name.starts(with: first), name.suffix(last.count).elementsEqual(last)
    else { return false }
    var remainder = name.dropFirst(first.count).dropLast(last.count)
    for part in knownParts.dropFirst().dropLast() where !part.isEmpty {
      // The earliest match leaves the most bytes for the parts that follow.
      guard let range = remainder.firstRange(of: part) else { return false }
      remainder = remainder[range.upperBound...]
    }
    return true
  }
}

/// The paths that must not be deleted in the target, because the source skipped a file or a folder there.
struct SkippedPaths {
  /// The maximum number of undecodable names in one folder that are compared with each path; it limits the work.
  private static let comparedNameLimit = 16

  /// The skipped files and folders with decodable names, by the bytes of their paths.
  private var decodable: [[UInt8]: SkippedPath] = [:]
  /// The other files and folders, by the bytes of the paths of their folders.
  private var undecodable: [[UInt8]: [SkippedPath]] = [:]

  init(_ skipped: [SkippedPath]) {
    for skippedPath in skipped {
      switch skippedPath.name {
      case .decodable: decodable[Array(skippedPath.path.utf8)] = skippedPath
      case .undecodable(let folder, _): undecodable[Array(folder.utf8), default: []].append(skippedPath)
      }
    }
  }

  /// Returns what the source skipped at a path or at a folder above it, or `nil`.
  func skipped(at path: String) -> SkippedPath? {
    if decodable.isEmpty, undecodable.isEmpty { return nil }
    let bytes = Array(path.utf8)
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
      if let skippedPath = decodable[Array(bytes[..<end])] { return skippedPath }
      if let candidates = undecodable[Array(bytes[..<start])] {
        // Too many names to compare: everything in the folder is kept, and the first name is the reason.
        if candidates.count > Self.comparedNameLimit { return candidates.first }
        if let skippedPath = candidates.first(where: { $0.resembles(bytes[start..<end]) }) { return skippedPath }
      }
      start = end + 1
    }
    return nil
  }
}
