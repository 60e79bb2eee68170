internal import StorageAuth
internal import StorageCrypto

/// The names and the texts of forms of OSS.
enum OSSForm {
  /// The fields that the scheme consists of, in lower case; the policy need not say anything about them.
  static let ownFields: Set<String> = [
    "policy", "ossaccesskeyid", "signature", "x-oss-signature", "x-oss-signature-version", "x-oss-credential",
    "x-oss-date", tokenField,
  ]

  static let tokenField = "x-oss-security-token"

  /// The V1 signature of a policy in Base64.
  static func v1Signature(of policy: String, with key: AccessKey) -> String {
    let signingKey: HMACKey<SHA1> = key.signingKey(for: KeyScope()) { HMACKey($0) }
    return signingKey.authenticationCode(for: policy).base64
  }

  /// The V4 signature of a policy in Base64.
  static func v4Signature(of policy: String, in scope: OSSV4Scope, with key: AccessKey) -> String {
    scope.signingKey(of: key).authenticationCode(for: policy).hex
  }
}
