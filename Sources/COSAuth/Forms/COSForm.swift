internal import StorageAuth
internal import StorageCrypto

/// The names and the texts of forms of COS.
enum COSForm {
  /// The fields that the scheme consists of, in lower case; the policy need not say anything about them.
  static let ownFields: Set<String> = [
    "policy", "q-sign-algorithm", "q-ak", "q-key-time", "q-sign-time", "q-signature", tokenField,
  ]

  static let tokenField = "x-cos-security-token"

  static let algorithm = "sha1"

  /// The signature of a policy: its text is hashed, not its Base64.
  static func signature(of policy: [UInt8], in window: COSKeyTime, with key: AccessKey) -> String {
    window.signingKey(of: key).authenticationCode { $0.append(hex: SHA1.hash(policy)) }.hex
  }
}
