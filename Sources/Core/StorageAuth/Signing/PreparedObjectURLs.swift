// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageCrypto

/// A source of an object presigner's URLs that keeps the bytes around the object's key in the URL and the signed text.
///
/// The bytes of the text before the key are hashed once, when the source is created.
final class PreparedObjectURLs: ObjectURLSource {
  let method: HTTPRequest.Method
  let headers: HTTPFields
  let expiration: Timestamp
  /// The error for a key with a question mark, or `nil` if a key may contain one.
  private let questionMarkError: SigningError?
  private let urlFrame: SignedFrame
  private let textAfterKey: SecretBytes
  private let hashState: HashState

  /// A signing key and the hash state of the text, both after the bytes that precede the object's key.
  private enum HashState {
    case hmacSHA1(HMACKey<SHA1>)
    case hashedSHA1(HMACKey<SHA1>, SHA1)
    case hashedSHA256(HMACKey<SHA256>, SHA256)
  }

  init(
    _ scheme: ObjectSignatureScheme, text: SignedFrame, url: SignedFrame, method: HTTPRequest.Method,
    headers: HTTPFields, expiration: Timestamp, questionMarkError: SigningError?
  ) {
    self.method = method
    self.headers = headers
    self.expiration = expiration
    self.questionMarkError = questionMarkError
    urlFrame = url
    textAfterKey = text.end
    switch scheme {
    case .hmacSHA1(let key): hashState = .hmacSHA1(key.startingMessages { $0.append(text.start) })
    case .hashedSHA1(let key):
      var hash = SHA1()
      hash.update(text.start)
      hashState = .hashedSHA1(key, hash)
    case .hashedSHA256(let key):
      var hash = SHA256()
      hash.update(text.start)
      hashState = .hashedSHA256(key, hash)
    }
  }

  func presign(_ key: String) throws(SigningError) -> PresignedRequest {
    let url = try withBytes(of: key) { (key) throws(SigningError) in
      // Most keys are their own encoding, and contain no question mark.
      let isEncoded = key.isKept(by: .path)
      if !isEncoded, let questionMarkError, key.contains(UInt8(ascii: "?")) { throw questionMarkError }
      return makeURL(for: key, isEncoded: isEncoded)
    }
    return PresignedRequest(method: method, url: url, headers: headers, expiration: expiration)
  }

  private func makeURL(for objectKey: Span<UInt8>, isEncoded: Bool) -> String {
    let signature = signature(of: objectKey, isEncoded: isEncoded)
    return String(writing: { writer in
      writer.append(urlFrame.start)
      writer.append(encoding: objectKey, isEncoded: isEncoded)
      urlFrame.end.withBytes { writer.append($0) }
      // The SigV4 family and COS write signatures in hexadecimal digits, and OSS V1 in Base64.
      if case .hmacSHA1 = hashState {
        writer.append(percentEncodedBase64: signature)
      } else {
        writer.append(hex: signature)
      }
    })
  }

  private func signature(of objectKey: Span<UInt8>, isEncoded: Bool) -> Digest {
    switch hashState {
    case .hmacSHA1(let key):
      return key.authenticationCode { writer in
        writer.append(objectKey)
        textAfterKey.withBytes { writer.append($0) }
      }
    case .hashedSHA1(let key, var hash):
      hash.update(writing: { writer in
        writer.append(objectKey)
        textAfterKey.withBytes { writer.append($0) }
      })
      let digest = hash.finalize()
      return key.authenticationCode { writer in
        writer.append(hex: digest)
        writer.append(UInt8(ascii: "\n"))
      }
    case .hashedSHA256(let key, var hash):
      hash.update(writing: { writer in
        writer.append(encoding: objectKey, isEncoded: isEncoded)
        textAfterKey.withBytes { writer.append($0) }
      })
      let digest = hash.finalize()
      return key.authenticationCode { $0.append(hex: digest) }
    }
  }
}

extension ByteWriter {
  /// Appends an object's key, percent-encoded for a path; a key that `isEncoded` is equal to its encoding.
  fileprivate mutating func append(encoding objectKey: Span<UInt8>, isEncoded: Bool) {
    if isEncoded { append(objectKey) } else { append(percentEncoding: objectKey, .path) }
  }
}

/// A computation of a signature from a text with an object's key; the HMAC key has hashed the bytes before the text.
package enum ObjectSignatureScheme: Sendable {
  /// The HMAC-SHA1 of the text with the decoded key, as percent-encoded Base64.
  case hmacSHA1(HMACKey<SHA1>)
  /// The HMAC-SHA1 of a string to sign that ends with the SHA-1 hash of the text with the decoded key, and a line feed.
  case hashedSHA1(HMACKey<SHA1>)
  /// The HMAC-SHA256 of a string to sign that ends with the SHA-256 hash of the text with the percent-encoded key.
  case hashedSHA256(HMACKey<SHA256>)
}

/// The bytes of a text or a URL before (`start`) and after (`end`) an object's key.
package struct SignedFrame: Sendable {
  let start: [UInt8]
  let end: SecretBytes

  package init(start: [UInt8], end: [UInt8]) {
    self.start = start
    self.end = SecretBytes(end)
  }

  /// Creates the frame of a presigned URL, with a function that appends the whole path up to the signature.
  package init(urlFor request: HTTPRequest, dividing path: ObjectPath, writing append: (inout ByteWriter) -> Void) {
    start = [UInt8](writing: { writer in
      writer.append(originOf: request)
      writer.append(path.start)
    })
    var pathWithSignature = [UInt8](writing: append)
    defer { wipe(&pathWithSignature) }
    end = pathWithSignature.withElements { SecretBytes($0.extracting(path.start.utf8.count...)) }
  }
}
