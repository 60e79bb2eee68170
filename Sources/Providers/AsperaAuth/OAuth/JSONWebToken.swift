// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

/// A signed JSON Web Token (RFC 7515, section 7.1), which any client that has it can use.
package struct JSONWebToken: Sendable, Redacted {
  /// The maximum size of a token in bytes, which is more than servers usually accept in a header.
  private static let sizeLimit = 16_384

  /// The token's text: header, payload and signature in Base64, separated by periods.
  package let secret: Secret
  package let header: JSONObject
  /// The members of the token's payload, which are trustworthy only after ``isSigned(by:with:)`` returns `true`.
  package let claims: JSONObject

  /// The signed bytes: the header, a period and the payload (RFC 7515, section 2).
  private let signingInput: [UInt8]
  private let signature: [UInt8]

  package init(_ claims: JSONObject, signedWith key: JWTSigningKey, _ algorithm: JWTAlgorithm) throws(AsperaError) {
    header = ["alg": .string(algorithm.name), "typ": "JWT"]
    self.claims = claims
    let encodedHeader = JSONValue.object(header).serialized.base64URL
    let text = "\(encodedHeader).\(JSONValue.object(claims).serialized.base64URL)"
    signingInput = Array(text.utf8)
    signature = try key.signature(of: signingInput, with: algorithm)
    let signedText = "\(text).\(signature.base64URL)"
    guard signedText.utf8.count <= Self.sizeLimit else {
      throw AsperaError(
        .invalidToken, "The assertion would be longer than \(Self.sizeLimit) bytes.", remedy: "Leave claims out.")
    }
    secret = Secret(signedText)
  }

  /// Parses a token without verifying its signature.
  package init?(_ text: String) {
    let parts = text.parts(between: ".")
    guard text.utf8.count <= Self.sizeLimit, parts.count == 3, let headerBytes = [UInt8](base64URL: parts[0]),
      let payload = [UInt8](base64URL: parts[1]), let signature = [UInt8](base64URL: parts[2]),
      let header = try? JSONValue(parsing: headerBytes).object, let claims = try? JSONValue(parsing: payload).object
    else { return nil }
    secret = Secret(text)
    self.header = header
    self.claims = claims
    signingInput = Array("\(parts[0]).\(parts[1])".utf8)
    self.signature = signature
  }

  package var algorithm: JWTAlgorithm? { header["alg"]?.string.flatMap { JWTAlgorithm($0) } }

  /// Returns whether the signature is that of a key, which must be long enough if it is an RSA key.
  package func isSigned(by key: PublicKey, with algorithm: JWTAlgorithm) -> Bool {
    if case .rsa(let bits) = key.kind, bits < JWTAlgorithm.minimumRSABitCount { return false }
    return key.verify(signature, of: signingInput, with: algorithm.signatureAlgorithm)
  }

  package var description: String { "JSONWebToken(\(algorithm?.name ?? "no algorithm"), \(Secret.mask))" }
}

/// A signature algorithm for JSON Web Tokens (RFC 7518, section 3.1).
///
/// IBM's own clients sign assertions for Aspera on Cloud and for Faspex 5 with an RSA key and ``rs256``, and IBM's
/// descriptions of both services mention no other algorithm. The other algorithms are for other authorization servers.
/// There is no `none` and no symmetric algorithm.
public struct JWTAlgorithm: Sendable, Hashable, CustomStringConvertible {
  /// The name of the algorithm in the member `alg` of a token's header, such as `RS256`.
  public let name: String

  let signatureAlgorithm: SignatureAlgorithm

  private init(_ name: String, _ signatureAlgorithm: SignatureAlgorithm) {
    self.name = name
    self.signatureAlgorithm = signatureAlgorithm
  }

  /// RSASSA-PKCS1-v1_5 with SHA-256.
  public static let rs256 = JWTAlgorithm("RS256", .rsaPKCS1(.sha256))
  /// RSASSA-PKCS1-v1_5 with SHA-384.
  public static let rs384 = JWTAlgorithm("RS384", .rsaPKCS1(.sha384))
  /// RSASSA-PKCS1-v1_5 with SHA-512.
  public static let rs512 = JWTAlgorithm("RS512", .rsaPKCS1(.sha512))
  /// RSASSA-PSS with SHA-256.
  public static let ps256 = JWTAlgorithm("PS256", .rsaPSS(.sha256))
  /// RSASSA-PSS with SHA-384.
  public static let ps384 = JWTAlgorithm("PS384", .rsaPSS(.sha384))
  /// RSASSA-PSS with SHA-512.
  public static let ps512 = JWTAlgorithm("PS512", .rsaPSS(.sha512))
  /// ECDSA on the curve P-256 with SHA-256.
  public static let es256 = JWTAlgorithm("ES256", .ecdsa(.nistp256, .sha256))
  /// ECDSA on the curve P-384 with SHA-384.
  public static let es384 = JWTAlgorithm("ES384", .ecdsa(.nistp384, .sha384))
  /// ECDSA on the curve P-521 with SHA-512.
  public static let es512 = JWTAlgorithm("ES512", .ecdsa(.nistp521, .sha512))
  /// All algorithms that this package supports.
  public static let all = [rs256, rs384, rs512, ps256, ps384, ps512, es256, es384, es512]

  /// Creates the algorithm with a name, or returns `nil` if this package does not support the algorithm.
  ///
  /// - Parameter name: The name of the algorithm, such as `RS256`; case matters (RFC 7515, section 4.1.1).
  public init?(_ name: String) {
    guard let algorithm = Self.all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
    self = algorithm
  }

  /// Returns the first algorithm that keys of a kind support.
  static func standard(for kind: KeyKind) -> JWTAlgorithm? { all.first { $0.signatureAlgorithm.supports(kind) } }

  /// The minimum length of an RSA key, in bits (RFC 7518, sections 3.3 and 3.5).
  package static let minimumRSABitCount = 2_048
  /// The name of the algorithm, such as `RS256`.
  public var description: String { name }
}
