internal import StorageAuth
internal import StorageCrypto

/// The object that a copy is made of.
struct CopySource {
  let bucket: String
  let key: ObjectKey

  /// Reads the header of OSS, `/bucket/key`, or of COS, `host/key` with the bucket in the host or, at an IP address, in
  /// front of the key; the key is percent-encoded.
  init(_ header: String, of provider: LocalCloud.Provider) throws(ServiceError) {
    let parts = header.parts(between: "?", atMost: 1)
    if parts.count > 1, parts[1].hasBytePrefix("versionId="), parts[1] != "versionId=null", parts[1] != "versionId=" {
      throw .notImplemented("Buckets of this server keep no versions.")
    }
    guard let bytes = String(parts[0]).percentDecodedBytes(),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw .invalidArgument("The copy source is not percent-encoded UTF-8.") }
    var rest = text.hasBytePrefix("/") ? text.dropFirst() : text[...]
    var first = Self.takeSegment(of: &rest)
    if provider == .cos {
      if isAddressOrLocalhost(first) {
        first = Self.takeSegment(of: &rest)
      } else if let label = bucketLabel(of: first) {
        first = label
      }
    }
    guard isBucketName(first), !rest.isEmpty else {
      throw .invalidArgument("The copy source \"\(header)\" does not name a bucket and a key.")
    }
    bucket = first
    key = ObjectKey(String(rest))
  }

  private static func takeSegment(of text: inout Substring) -> String {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      defer { text = "" }
      return String(text)
    }
    defer { text = text[text.utf8.index(after: slash)...] }
    return String(text[..<slash])
  }
}
