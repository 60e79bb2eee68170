// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The bucket and key of a copy's source object.
struct NamedSource {
  let bucket: String
  let key: ObjectKey

  /// Creates the source of a copy from a percent-encoded header value, `/bucket/key` or `bucket/key`.
  ///
  /// - Parameters:
  ///   - header: The value of the header.
  ///   - service: The storage service.
  ///   - bucket: A closure that removes the leading part that specifies the bucket, and returns the bucket name. By
  ///     default, the leading part is the first path segment.
  init(
    _ header: String, of service: any SimulatedService,
    takingBucket bucket: (inout Substring) -> String = { NamedSource.takeSegment(of: &$0) }
  ) throws(RefusalAnswer) {
    let parts = header.parts(between: "?", atMost: 1)
    if parts.count > 1, parts[1].hasBytePrefix("versionId="), parts[1] != "versionId=null", parts[1] != "versionId=" {
      throw .notImplemented("Buckets of this server do not support versioning.")
    }
    guard let bytes = String(parts[0]).percentDecodedBytes(),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw .invalidArgument("The copy source is not percent-encoded UTF-8.") }
    var rest = text.hasBytePrefix("/") ? text.dropFirst() : text[...]
    let name = bucket(&rest)
    guard service.isBucketName(name), !rest.isEmpty else {
      throw .invalidArgument("The copy source \"\(header)\" does not name a bucket and a key.")
    }
    self.bucket = name
    key = ObjectKey(String(rest))
  }

  /// Removes the first path segment and the slash after it from a path, and returns the segment.
  static func takeSegment(of text: inout Substring) -> String {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      defer { text = "" }
      return String(text)
    }
    defer { text = text[text.utf8.index(after: slash)...] }
    return String(text[..<slash])
  }
}
