// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth
package import StorageCrypto

/// A signed JSON Web Token in the compact serialization (RFC 7515, section 7.1).
///
/// A server that accepts such a token can be used by each client that has the token, so the text is a secret.
package struct JSONWebToken: Sendable, Redacted {
  private static let sizeLimit = 16_384

  /// The token's text: header, payload and signature in Base64, separated by periods.
  package let secret: Secret

  package let header: JSONObject

  /// The members of the token's payload, which are trustworthy only after ``isSigned(by:with:)`` returns `true`.
  package let claims: JSONObject

  private let message: [UInt8]
  private let signature: [UInt8]

  /// Signs claims, or throws if the key cannot sign with the algorithm, or the token would be too long.
  package init(_ claims: JSONObject, signedWith key: JWTSigningKey, _ algorithm: JWTAlgorithm) throws(AsperaError) {
    header = ["alg": .string(algorithm.name), "typ": "JWT"]
    self.claims = claims
    let head = JSONValue.object(header).serialized.base64URL
    let text = "\(head).\(JSONValue.object(claims).serialized.base64URL)"
    message = Array(text.utf8)
    signature = try key.signature(of: message, with: algorithm)
    let whole = "\(text).\(signature.base64URL)"
    guard whole.utf8.count <= Self.sizeLimit else {
      throw AsperaError(
        .invalidToken, "The assertion would be longer than \(Self.sizeLimit) bytes.", remedy: "Leave claims out.")
    }
    secret = Secret(whole)
  }

  package init?(_ text: String) {
    let parts = text.parts(between: ".")
    guard text.utf8.count <= Self.sizeLimit, parts.count == 3, let head = [UInt8](base64URL: parts[0]),
      let payload = [UInt8](base64URL: parts[1]), let signature = [UInt8](base64URL: parts[2]),
      let header = (try? JSONValue(parsing: head))?.object, let claims = (try? JSONValue(parsing: payload))?.object
    else { return nil }
    secret = Secret(text)
    self.header = header
    self.claims = claims
    message = Array("\(parts[0]).\(parts[1])".utf8)
    self.signature = signature
  }

  /// The algorithm that the header names, or `nil` if this package does not support the algorithm.
  package var algorithm: JWTAlgorithm? { header["alg"]?.string.flatMap { JWTAlgorithm($0) } }

  package func isSigned(by key: PublicKey, with algorithm: JWTAlgorithm) -> Bool {
    if case .rsa(let bits) = key.kind, bits < JWTAlgorithm.minimumRSABitCount { return false }
    return key.verify(signature, of: message, with: algorithm.signatureAlgorithm)
  }

  package var description: String { "JSONWebToken(\(algorithm?.name ?? "no algorithm"), \(Secret.mask))" }
}
