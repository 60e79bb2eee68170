internal import HTTPTypes
internal import StorageCrypto

/// Which of a service's own headers can be signed remotely: those that change neither who may do what nor what is done.
enum SignedHeaders {
  private static let harmless: Set<String> = [
    "date", "content-sha256", "security-token", "forbid-overwrite", "storage-class", "server-side-encryption",
    "traffic-limit", "hash-crc64ecma",
  ]

  /// Refuses a header that makes a copy, changes access, calls somebody, or is not known.
  static func check(_ headers: HTTPFields, scheme: SignatureScheme) throws(SigningRefusal) {
    if let md5 = headers[.contentMD5], [UInt8](base64: md5)?.count != MD5.digestByteCount {
      throw .malformed("The Content-MD5 is not a hash.")
    }
    for field in headers {
      let name = field.name.canonicalName
      guard name != "pic-operations", name != "ci-process", name != "authorization" else { throw refusal }
      guard name.hasBytePrefix("x-") else { continue }
      guard let rest = name.removingBytePrefix("x-\(scheme.provider)-") else { throw refusal }
      guard rest.hasBytePrefix("meta-") || harmless.contains(String(rest)) else { throw refusal }
    }
  }

  private static let refusal = SigningRefusal.unknownOperation(
    "A header makes another operation of the request, or is not known.")
}
