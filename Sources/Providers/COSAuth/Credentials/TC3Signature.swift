// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import CredentialSources
internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The TC3-HMAC-SHA256 signature of Tencent Cloud's API, as separate steps for signing and verifying.
///
/// Page: "Signature v3" in the documentation of the Tencent Cloud API.
package struct TC3Signature: ScopedSignature {
  package static let algorithm = "TC3-HMAC-SHA256"
  package static let secretPrefix = "TC3"

  package let time: String
  package let scopeParts: [String]

  package init(service: String, date: Timestamp) {
    time = "\(date.unixSeconds)"
    scopeParts = [String(date.iso8601.prefix(10)), service, "tc3_request"]
  }

  package static func canonicalRequest(of call: ServiceCall, signing names: [String]) throws(SigningError) -> String {
    try call.canonicalRequest(query: call.query, signing: names, value: \.asciiLowercased)
  }
}

/// A signer of requests to Tencent Cloud's API with TC3-HMAC-SHA256.
///
/// The request must already have its content type, action and version. The signer adds the time and an unsigned token.
package struct TC3Signer: ServiceSigner {
  private let service: String
  private let signedHeaders: [String]

  /// Creates a signer that signs `X-TC-Action`, as the vendor's documentation does and the vendor's SDKs do not.
  package init(service: String, signsAction: Bool = true) {
    self.service = service
    signedHeaders = ["content-type", "host"] + (signsAction ? ["x-tc-action"] : [])
  }

  package func sign(_ call: inout ServiceCall, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check()
    let signature = TC3Signature(service: service, date: context.date)
    let authorization = try signature.authorization(of: call, signing: signedHeaders, with: key)
    call.request.headerFields[.tcTimestamp] = "\(context.date.unixSeconds)"
    call.setToken(of: key, named: .tcToken)
    call.request.headerFields[.authorization] = authorization
  }
}

extension HTTPField.Name {
  static let tcAction = known("X-TC-Action")
  static let tcVersion = known("X-TC-Version")
  static let tcRegion = known("X-TC-Region")
  static let tcTimestamp = known("X-TC-Timestamp")
  fileprivate static let tcToken = known("X-TC-Token")
}

/// The older signature of Tencent Cloud's API, a request parameter of the vendor's SDKs for temporary keys.
///
/// Source: the code of qcloud-cos-sts-sdk, in all its languages.
package enum TencentV1Signature {
  /// Returns the string to sign for the decoded parameters of the query and of the form body, without `Signature`.
  package static func stringToSign(method: String, host: String, path: String = "/", parameters: [FormPair]) -> String {
    let signed = FormPair.sorted(parameters.filter { $0.name != "Signature" })
    return "\(method)\(host)\(path)?" + signed.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// Returns the signature; the method, `SignatureMethod`, is HMAC-SHA1 unless it is `HmacSHA256`.
  package static func signature(of stringToSign: String, secret: Secret, method: String? = nil) -> String {
    secret.bytes.withBytes { secret in
      method == "HmacSHA256"
        ? HMACKey<SHA256>(secret).authenticationCode(for: stringToSign).base64
        : HMACKey<SHA1>(secret).authenticationCode(for: stringToSign).base64
    }
  }
}
