public import COSAuth
public import OSSAuth
public import StorageAuth

/// Who signs strings of one service for others, and with which key.
///
/// ```swift
/// let oss = StringSigning.oss(OSSStringSigner(region: "cn-hangzhou"), keys: CredentialCache(.alibabaDefault))
/// ```
public struct StringSigning: Sendable {
  /// The short name of the service: `oss` or `cos`.
  public let provider: String

  let keys: any CredentialProvider<AccessKey>
  let sign: @Sendable (SigningOrder, AccessKey, SigningRules, Timestamp) throws(SigningRefusal) -> RemoteSignature

  /// Signs for OSS.
  ///
  /// - Parameters:
  ///   - signer: Reads the strings and signs them.
  ///   - keys: Where the key comes from that signs; put a source that is slow into a `CredentialCache`.
  public static func oss(_ signer: OSSStringSigner, keys: some CredentialProvider<AccessKey>) -> StringSigning {
    StringSigning(provider: "oss", keys: keys) { (order, key, rules, date) throws(SigningRefusal) in
      try signer.sign(order, with: key, under: rules, at: date)
    }
  }

  /// Signs for COS.
  ///
  /// - Parameters:
  ///   - signer: Reads the strings and signs them.
  ///   - keys: Where the key comes from that signs; put a source that is slow into a `CredentialCache`.
  public static func cos(_ signer: COSStringSigner, keys: some CredentialProvider<AccessKey>) -> StringSigning {
    StringSigning(provider: "cos", keys: keys) { (order, key, rules, date) throws(SigningRefusal) in
      try signer.sign(order, with: key, under: rules, at: date)
    }
  }
}
