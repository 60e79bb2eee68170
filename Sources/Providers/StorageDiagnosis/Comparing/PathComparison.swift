// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A comparison of the path that the client signed with the path that the service received.
struct PathComparison {
  /// The decoded path that the client signed.
  let sent: String
  /// The decoded path that the service received.
  let seen: String
  let request: SentRequest

  /// The cause of the difference between the paths, or `nil` if the difference has no specific cause.
  var cause: SignatureDiagnosis.Cause? {
    if sent.slashesMerged.isIdentical(to: seen) { return .slashesMerged }
    let resolved = sent.dotsResolved
    if resolved.isIdentical(to: seen) || resolved.slashesMerged.isIdentical(to: seen) { return .dotsResolved }
    let bucket = bucketAndKey(seen).bucket
    if !bucket.isEmpty, sent.isIdentical(to: "/\(bucket)\(seen)") { return .bucketTwice }
    guard request.reader.signsBucketOutsidePath(of: request.request) else { return prefixCause(sent, seen) }
    let (first, second) = (bucketAndKey(sent), bucketAndKey(seen))
    if first.bucket.isIdentical(to: second.bucket) { return prefixCause(first.key, second.key) }
    if first.key.isIdentical(to: second.key) { return .wrongBucket }
    if second.key.isIdentical(to: sent) { return .bucketMissing }
    return prefixCause(sent, seen)
  }

  private func prefixCause(_ sent: String, _ seen: String) -> SignatureDiagnosis.Cause? {
    if seen.utf8.count > sent.utf8.count, seen.ends(with: sent) { return .pathPrefixAdded }
    if sent.utf8.count > seen.utf8.count, sent.ends(with: seen) { return .pathPrefixRemoved }
    return nil
  }

  /// Returns the first component of a path, and the rest of the path starting with its slash.
  private func bucketAndKey(_ path: String) -> (bucket: String, key: String) {
    let bytes = path.utf8.dropFirst()
    let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
    return (String(path[bytes.startIndex..<slash]), String(path[slash...]))
  }
}

extension String {
  /// The path with each sequence of slashes replaced by one slash.
  var slashesMerged: String {
    var bytes: [UInt8] = []
    for byte in utf8 where byte != UInt8(ascii: "/") || bytes.last != byte { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path with the segments `.` and `..` resolved.
  var dotsResolved: String {
    var parts: [String] = []
    let all = cut(at: "/")
    for (index, part) in all.enumerated() {
      switch part {
      case ".": if index == all.count - 1 { parts.append("") }
      case "..":
        if parts.count > 1 { parts.removeLast() }
        if index == all.count - 1 { parts.append("") }
      default: parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }
}
