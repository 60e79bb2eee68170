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
  /// Instead of the bucket name, the value can start with a host if the service has it so. The host contains the bucket
  /// name, unless the host is an IP address or `localhost`: then the bucket name precedes the key.
  init(_ header: String, of service: SimulatedService) throws(ErrorResponse) {
    let parts = header.parts(between: "?", atMost: 1)
    if parts.count > 1, parts[1].hasBytePrefix("versionId="), parts[1] != "versionId=null", parts[1] != "versionId=" {
      throw .notImplemented("Buckets of this server do not support versioning.")
    }
    guard let bytes = String(parts[0]).percentDecodedBytes(),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw .invalidArgument("The copy source is not percent-encoded UTF-8.") }
    var rest = text.hasBytePrefix("/") ? text.dropFirst() : text[...]
    var name = Self.takeSegment(of: &rest)
    if service.objects.copySourceHasHost {
      name =
        isAddressOrLocalhost(name) ? Self.takeSegment(of: &rest) : service.description.hosts.bucket(in: name) ?? name
    }
    guard service.isBucketName(name), !rest.isEmpty else {
      throw .invalidArgument("The copy source \"\(header)\" does not name a bucket and a key.")
    }
    self.bucket = name
    key = ObjectKey(String(rest))
  }

  /// Removes the first path segment and the slash after it from a path, and returns the segment.
  private static func takeSegment(of text: inout Substring) -> String {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      defer { text = "" }
      return String(text)
    }
    defer { text = text[text.utf8.index(after: slash)...] }
    return String(text[..<slash])
  }
}
