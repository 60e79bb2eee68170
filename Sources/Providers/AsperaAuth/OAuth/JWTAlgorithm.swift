// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageKeys

/// A signature algorithm for JSON Web Tokens (RFC 7518, section 3.1).
///
/// IBM's own clients sign assertions for Aspera on Cloud and for Faspex 5 with an RSA key and ``rs256``, and IBM's
/// descriptions of both services mention no other algorithm. The other algorithms are for other authorization servers.
/// There is no `none` and no symmetric algorithm.
public struct JWTAlgorithm: Sendable, Hashable, CustomStringConvertible {
  /// The name of the algorithm in the member `alg` of a token's header, such as `RS256`.
  public let name: String

  let signature: SignatureAlgorithm

  private init(_ name: String, _ signature: SignatureAlgorithm) {
    self.name = name
    self.signature = signature
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

  /// The first algorithm that a kind of key supports, or `nil` if there is none.
  static func standard(for kind: KeyKind) -> JWTAlgorithm? {
    all.first { $0.signature.takes(kind) }
  }

  /// The minimum length of an RSA key, in bits (RFC 7518, sections 3.3 and 3.5).
  package static let shortestRSA = 2_048

  /// The name of the algorithm, such as `RS256`.
  public var description: String { name }
}
