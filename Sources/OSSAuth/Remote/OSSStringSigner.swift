public import StorageAuth
internal import StorageCrypto

/// Signs strings to sign that somebody else made, after reading them: the server's half of the self-signed mode.
///
/// It is no oracle. A string is taken apart into the request that it authorizes; that request is canonicalised again and
/// has to give the same bytes; then the request has to be within the caller's rules. Only then the key signs.
///
/// ```swift
/// let signer = OSSStringSigner(region: "cn-hangzhou")
/// let answer = try signer.sign(order, with: key, under: SigningRules(policy), at: .now)
/// ```
public struct OSSStringSigner: StringSigner {
  /// The region that V4 strings have to name.
  public let region: String

  /// The product that V4 strings have to name.
  public let product: String

  /// The versions that are signed.
  public let versions: Set<OSSSignatureVersion>

  /// The short name of the service: `oss`.
  public var service: String { SignatureScheme.ossV4.service }

  /// Sets up a signer.
  ///
  /// - Parameters:
  ///   - region: The region that V4 strings have to name, such as `cn-hangzhou`.
  ///   - product: The product that V4 strings have to name.
  ///   - versions: The versions that are signed.
  public init(
    region: String, product: String = "oss", versions: Set<OSSSignatureVersion> = Set(OSSSignatureVersion.allCases)
  ) {
    self.region = region
    self.product = product
    self.versions = versions
  }

  /// Reads what a signature would authorize.
  ///
  /// - Parameter order: What somebody wants to have signed.
  /// - Returns: The one request that the string stands for.
  /// - Throws: A ``SigningRefusal`` if it is not, byte for byte, the string of a request.
  public func intent(of order: SigningOrder) throws(SigningRefusal) -> SigningIntent {
    switch order.scheme {
    case .ossV1 where versions.contains(.v1):
      guard order.canonicalRequest == nil else { throw .malformed("OSS V1 has no canonical request.") }
      return try v1Intent(of: order)
    case .ossV4 where versions.contains(.v4):
      guard let canonicalRequest = order.canonicalRequest else { throw .malformed("The canonical request is missing.") }
      return try v4Intent(of: order, canonicalRequest)
    default:
      throw .malformed("The version of the signature is not one that is signed here.")
    }
  }

  /// Returns the signature of a string that is within the rules; see ``StorageAuth/StringSigner``.
  public func signature(
    of order: SigningOrder, _ intent: SigningIntent, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String {
    if intent.scheme == .ossV1 {
      let signingKey: HMACKey<SHA1> = key.signingKey(for: KeyScope()) { HMACKey($0) }
      return signingKey.authenticationCode(for: order.stringToSign).base64
    }
    let scope = OSSV4Scope(date: intent.date ?? date, region: region, product: product)
    return scope.signingKey(of: key).authenticationCode(for: order.stringToSign).hex
  }

  /// Returns `OSS` for V1, as the vendor's page "Add signatures on a server" has it, else `nil`.
  public func authorizationWord(for scheme: SignatureScheme) -> String? { scheme == .ossV1 ? "OSS" : nil }
}

extension SignatureScheme {
  /// OSS with HMAC-SHA-1.
  public static let ossV1 = SignatureScheme(service: "oss", version: "v1")

  /// OSS with HMAC-SHA-256.
  public static let ossV4 = SignatureScheme(service: "oss", version: "v4")
}

extension RequestVocabulary {
  /// The names of OSS.
  static let oss = RequestVocabulary(
    headerPrefix: "x-oss-",
    harmlessHeaders: [
      "date", "content-sha256", "security-token", "forbid-overwrite", "storage-class", "server-side-encryption",
      "traffic-limit", "hash-crc64ecma",
    ])
}
