internal import StorageAuth
internal import StorageCrypto

/// The object that a copy is made of.
struct NamedSource {
  let bucket: String
  let key: ObjectKey

  /// Reads a header `/bucket/key` or `bucket/key`, percent-encoded.
  ///
  /// - Parameters:
  ///   - header: The value.
  ///   - dialect: The service.
  ///   - bucket: Takes what names the bucket off the text; by default its first segment.
  init(
    _ header: String, of dialect: any Dialect,
    takingBucket bucket: (inout Substring) -> String = { NamedSource.takeSegment(of: &$0) }
  ) throws(RefusalAnswer) {
    let parts = header.parts(between: "?", atMost: 1)
    if parts.count > 1, parts[1].hasBytePrefix("versionId="), parts[1] != "versionId=null", parts[1] != "versionId=" {
      throw .notImplemented("Buckets of this server keep no versions.")
    }
    guard let bytes = String(parts[0]).percentDecodedBytes(),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw .invalidArgument("The copy source is not percent-encoded UTF-8.") }
    var rest = text.hasBytePrefix("/") ? text.dropFirst() : text[...]
    let name = bucket(&rest)
    guard dialect.isBucketName(name), !rest.isEmpty else {
      throw .invalidArgument("The copy source \"\(header)\" does not name a bucket and a key.")
    }
    self.bucket = name
    key = ObjectKey(String(rest))
  }

  /// Takes the text up to the next slash, and the slash.
  static func takeSegment(of text: inout Substring) -> String {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      defer { text = "" }
      return String(text)
    }
    defer { text = text[text.utf8.index(after: slash)...] }
    return String(text[..<slash])
  }
}
