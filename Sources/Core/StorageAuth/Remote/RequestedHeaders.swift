// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageCrypto

/// A check of the headers in a string to sign.
///
/// Only headers that change neither the operation nor its authorization are accepted.
enum RequestedHeaders {
  /// Throws an error for headers that could change the operation of a request to sign.
  ///
  /// These are an invalid Content-MD5, and every header that requests a copy, changes access control, triggers a
  /// callback or is unknown.
  static func check(_ headers: HTTPFields, _ vocabulary: RequestVocabulary) throws(SigningRefusal) {
    if let md5 = headers[.contentMD5], [UInt8](base64: md5)?.count != MD5.digestByteCount {
      throw .malformed("The Content-MD5 is not an MD5 digest in Base64.")
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
    "A header changes the operation of the request, or is unknown.")
}
