// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageCrypto

// The frame of a provider's signer around its canonical texts: what is checked before, and where a signature goes.

extension SigningError {
  package static let anonymousURL = SigningError(
    .anonymous, "An anonymous credential cannot sign a URL.",
    remedy: "Use the URL without a signature, or a key that has the right.")

  package static let anonymousForm = SigningError(
    .anonymous, "An anonymous credential cannot sign a form.", remedy: "Use a key that has the right.")

  package static let noLongForm = SigningError(
    .lifetimeOutOfRange, "The form would be valid for more than seven days.", remedy: "Let it expire earlier.")

  package static func noHost(example: String) -> SigningError {
    SigningError(
      .invalidRequest, "The request has no host, or a malformed one.", remedy: "Set its authority, such as \(example).")
  }
}

extension Identity {
  /// Throws an error if the credential expires before a signature does.
  package func check(validUntil end: Timestamp) throws(SigningError) {
    if let expiration, expiration < end { throw .credentialEndsFirst(expiration, required: end) }
  }

  /// Returns the header field with the session token, or `nil` for a permanent credential.
  package func tokenField(named name: HTTPField.Name) -> HTTPField? {
    sessionToken.map { HTTPField(name: name, value: $0.reveal()) }
  }
}

extension FieldDraft {
  /// Sets the header field of the session token, or removes it if the credential has no session token.
  package mutating func set(_ token: HTTPField?, named name: HTTPField.Name) {
    if let token { set(token) } else { remove(name) }
  }
}

extension HTTPFields {
  /// Returns the fields without those of a signature in the headers, which a presigned URL must not have.
  package func without(_ names: [HTTPField.Name]) -> HTTPFields {
    guard contains(where: { names.contains($0.name) }) else { return self }
    var fields = self
    fields.removeAll { names.contains($0.name) }
    return fields
  }
}

extension ByteWriter {
  package mutating func append(originOf request: HTTPRequest) {
    append(request.scheme ?? "https")
    append("://")
    append(request.authority ?? "")
  }
}

extension PendingSignature {
  /// Creates a request that is complete except for its signature.
  ///
  /// - Parameters:
  ///   - scheme: The signature scheme.
  ///   - request: The request to sign.
  ///   - fields: The header fields of the request, complete except for the signature.
  ///   - path: The path of a presigned URL up to the signature, or `nil` for a signature in the headers.
  ///   - identity: The identity of the key that will sign the request.
  ///   - expiration: The time at which the authorization expires, or `nil` if it contains no expiration.
  ///   - texts: The string to sign, and the canonical request if the scheme has one.
  ///   - signedHeaders: The signed headers if the signature becomes part of the URL.
  ///   - prefix: The part of the authorization before the signature.
  package init(
    _ scheme: SignatureScheme, of request: HTTPRequest, fields: HTTPFields, path: String?, as identity: Identity,
    until expiration: Timestamp?, texts: SignedTexts, signedHeaders: @autoclosure () -> HTTPFields, prefix: String
  ) {
    var prepared = request
    prepared.headerFields = fields
    if let path { prepared.path = path }
    self.init(
      scheme, stringToSign: texts.stringToSign, canonicalRequest: texts.canonicalRequest, identity: identity,
      expiration: expiration, request: prepared, isPresigned: path != nil,
      signedHeaders: path == nil ? [:] : signedHeaders(), authorizationPrefix: prefix)
  }

  /// Returns the signature alone, for a signature that a server returned alone or as a whole authorization.
  package func bare(_ signature: String) -> String {
    signature.removingBytePrefix(authorizationPrefix).map { String($0) } ?? signature
  }

  /// Returns the request with its signature.
  ///
  /// - Parameters:
  ///   - signature: The signature alone.
  ///   - suffix: The end of a presigned URL, which contains the signature.
  package func request(with signature: String, urlSuffix suffix: String) -> HTTPRequest {
    var request = request
    if isPresigned {
      request.path = (request.path ?? "/") + suffix
    } else {
      request.headerFields.replace(HTTPField(name: .authorization, value: authorizationPrefix + signature))
    }
    return request
  }
}

extension String {
  /// Returns whether the string is a hash value or a signature of a length in lowercase hexadecimal digits.
  package func isLowerHex(byteCount: Int) -> Bool {
    utf8.count == 2 * byteCount
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
      }
  }

  /// Returns whether the string is `[a-z0-9-]+` with a letter or a digit at both ends, as a part of a scope is.
  package func isScopePart(atMost limit: Int = .max) -> Bool {
    !isEmpty && utf8.count <= limit && !hasBytePrefix("-") && !hasByteSuffix("-")
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}

extension HTTPRequest {
  /// Returns whether an `Authorization` header starts with a lowercase word, in any letter case.
  package func hasAuthorization(startingWith word: String) -> Bool {
    headerFields[fields: .authorization].contains { $0.value.utf8.lazy.map(asciiLowercased).starts(with: word.utf8) }
  }
}

extension RequestTarget {
  /// Returns whether the query has a parameter with one of the given lowercase names, in any letter case.
  package func hasParameter(among names: NameTable) -> Bool {
    parameters.contains { $0.name.utf8.map(asciiLowercased).withElements { names.contains($0) } }
  }
}
