internal import HTTPTypes
internal import StorageCrypto

/// Which of a service's own headers can be signed remotely: those that change neither who may do what nor what is done.
enum RequestedHeaders {
  /// Refuses a header that makes a copy, changes access, calls somebody, or is not known.
  static func check(_ headers: HTTPFields, _ vocabulary: RequestVocabulary) throws(SigningRefusal) {
    if let md5 = headers[.contentMD5], [UInt8](base64: md5)?.count != MD5.digestByteCount {
      throw .malformed("The Content-MD5 is not a hash.")
    }
    for field in headers {
      let name = field.name.canonicalName
      guard name != "authorization", !vocabulary.refusedHeaders.contains(name) else { throw refusal }
      guard let rest = name.removingBytePrefix(vocabulary.headerPrefix).map(String.init) else {
        guard !name.hasBytePrefix("x-") else { throw refusal }
        continue
      }
      guard rest.hasBytePrefix("meta-") || vocabulary.harmlessHeaders.contains(rest) else { throw refusal }
    }
  }

  private static let refusal = SigningRefusal.unknownOperation(
    "A header makes another operation of the request, or is not known.")
}
