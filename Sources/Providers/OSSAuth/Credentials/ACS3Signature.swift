// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import CredentialSources
internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The ACS3-HMAC-SHA256 signature of Alibaba Cloud's API, as separate steps for signing and verifying.
///
/// Page: "Request syntax and signature method V3"
/// (https://www.alibabacloud.com/help/en/sdk/product-overview/v3-request-structure-and-signature).
package enum ACS3Signature {
  package static let algorithm = "ACS3-HMAC-SHA256"

  package static func signedHeaders(of call: ServiceCall) -> [String] { call.signedHeaders(prefixed: "x-acs-") }

  package static func canonicalRequest(of call: ServiceCall, signing names: [String]) throws(SigningError) -> String {
    try call.canonicalRequest(query: try canonicalQuery(call.query), signing: names)
  }

  package static func stringToSign(canonicalRequest: String) -> String {
    "\(algorithm)\n\(SHA256.hash { $0.append(canonicalRequest) }.hex)"
  }

  package static func signature(
    of call: ServiceCall, signing names: [String], secret: Secret
  ) throws(SigningError) -> String {
    signature(of: stringToSign(canonicalRequest: try canonicalRequest(of: call, signing: names)), secret: secret)
  }

  /// Returns the signature of a string to sign; the HMAC key is the secret itself, without key derivation.
  package static func signature(of stringToSign: String, secret: Secret) -> String {
    secret.bytes.withBytes { HMACKey<SHA256>($0) }.authenticationCode(for: stringToSign).hex
  }

  /// Returns the query with its pairs encoded once and sorted by their decoded names and values.
  private static func canonicalQuery(_ query: String) throws(SigningError) -> String {
    guard let pairs = FormPair.read(query) else { throw SigningError.unreadablePath }
    return FormPair.written(FormPair.sorted(pairs))
  }
}

/// A signer of requests to Alibaba Cloud's API with ACS3-HMAC-SHA256.
///
/// The request must already specify its action, version and nonce in `x-acs-` headers. The signer adds the date, the
/// hash of the body and the session token. The service accepts each nonce only once, even in a repeated request.
package struct ACS3Signer: ServiceSigner {
  package init() {}

  package func sign(_ call: inout ServiceCall, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check()
    var signed = call
    signed.request.headerFields[.acsDate] = context.date.iso8601
    signed.request.headerFields[.acsContentSHA256] = call.bodyHash
    signed.setToken(of: key, named: .acsSecurityToken)
    // Only present headers are signed, so a missing one would not become an error before the service rejects the call.
    for name in [HTTPField.Name.acsAction, .acsVersion, .acsNonce] {
      _ = try signed.signedValue(of: name.canonicalName)
    }
    let names = ACS3Signature.signedHeaders(of: signed)
    let signature = try ACS3Signature.signature(of: signed, signing: names, secret: key.secret)
    signed.request.headerFields[.authorization] =
      "\(ACS3Signature.algorithm) Credential=\(key.id),SignedHeaders=\(names.joined(separator: ";")),"
      + "Signature=\(signature)"
    call = signed
  }
}

extension HTTPField.Name {
  static let acsAction = known("x-acs-action")
  static let acsVersion = known("x-acs-version")
  static let acsNonce = known("x-acs-signature-nonce")
  fileprivate static let acsDate = known("x-acs-date")
  fileprivate static let acsContentSHA256 = known("x-acs-content-sha256")
  fileprivate static let acsSecurityToken = known("x-acs-security-token")
}

/// The older signature of Alibaba Cloud's API (RPC style, HMAC-SHA1), a request parameter of older SDKs.
///
/// Page: "Request syntax and signature method V2 for RPC APIs"
/// (https://www.alibabacloud.com/help/en/sdk/product-overview/rpc-mechanism).
package enum RPCSignature {
  /// Returns the string to sign for the decoded parameters of the query and of the form body, without `Signature`.
  package static func stringToSign(method: String, parameters: [FormPair]) -> String {
    let signed = FormPair.sorted(parameters.filter { $0.name != "Signature" })
    return "\(method)&%2F&\(FormPair.written(signed).percentEncoded())"
  }

  /// Returns the signature of a string to sign; the HMAC key is the secret followed by an ampersand.
  package static func signature(of stringToSign: String, secret: Secret) -> String {
    let key = HMACKey<SHA1> { writer in
      secret.bytes.withBytes { writer.append($0) }
      writer.append(UInt8(ascii: "&"))
    }
    return key.authenticationCode(for: stringToSign).base64
  }
}
