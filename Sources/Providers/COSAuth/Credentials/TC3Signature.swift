// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import CredentialSources
internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The TC3-HMAC-SHA256 signature of Tencent Cloud's API, as separate steps for signing and verifying.
///
/// Page: "Signature v3" in the documentation of the Tencent Cloud API.
package struct TC3Signature: Sendable {
  /// The name of the signature algorithm in the `Authorization` header.
  package static let algorithm = "TC3-HMAC-SHA256"

  private let scheme: ScopedSignature

  /// Creates the signature of requests to a service.
  ///
  /// - Parameters:
  ///   - service: The service in the signature's scope, such as `sts`.
  ///   - date: The signing time, in whole seconds.
  package init(service: String, date: Timestamp) {
    scheme = ScopedSignature(
      Self.algorithm, secretPrefix: "TC3", date: "\(date.unixSeconds)",
      scope: [String(date.iso8601.prefix(10)), service, "tc3_request"])
  }

  /// The signature's scope, which follows the access key ID in the `Authorization` header.
  ///
  /// An example is `2026-11-20/sts/tc3_request`.
  package var scope: String { scheme.scope }

  /// Returns the canonical request, which contains all components of the request that are signed.
  ///
  /// Header values are in lowercase.
  ///
  /// - Throws: A `SigningError` if a signed header is missing or repeated.
  package static func canonicalRequest(
    of call: ServiceCall, signing names: [String]
  ) throws(SigningError) -> String {
    try call.canonicalRequest(query: call.query, signing: names, value: \.asciiLowercased)
  }

  /// Returns the string to sign for a canonical request.
  package func stringToSign(canonicalRequest: String) -> String {
    scheme.stringToSign(canonicalRequest: canonicalRequest)
  }

  /// Returns the expected signature for a received request.
  ///
  /// - Parameters:
  ///   - call: The request as it was received.
  ///   - names: The header names included in the signature, in their order in the `Authorization` header.
  ///   - secret: The secret of the access key that the `Authorization` header specifies.
  /// - Throws: A `SigningError` if the canonical request cannot be created.
  package func expected(
    for call: ServiceCall, signing names: [String], secret: Secret
  ) throws(SigningError) -> String {
    let canonical = try Self.canonicalRequest(of: call, signing: names)
    return scheme.signature(of: stringToSign(canonicalRequest: canonical), secret: secret)
  }

  /// Returns the value of the `Authorization` header with a signature.
  func authorization(id: AccessKeyID, signing names: [String], signature: String) -> String {
    scheme.authorization(id: id, signing: names, signature: signature)
  }
}

/// A signer of requests to Tencent Cloud's API with TC3-HMAC-SHA256.
///
/// The request must already specify its content type, action and version. The signer adds the time and the session
/// token. The token is sent but not included in the signature.
package struct TC3Signer: Signer {
  package typealias Request = ServiceCall
  package typealias SigningCredential = AccessKey

  private let service: String
  private let signedHeaders: [String]

  /// Creates a signer for requests to a service.
  ///
  /// - Parameters:
  ///   - service: The service in the signature's scope, such as `sts`.
  ///   - signsAction: Whether the signature includes `X-TC-Action`, as in the vendor's documentation but not in the
  ///     vendor's SDKs.
  package init(service: String, signsAction: Bool = true) {
    self.service = service
    signedHeaders = ["content-type", "host"] + (signsAction ? ["x-tc-action"] : [])
  }

  /// Returns the time until which a key must be valid to sign a request: two seconds after `date`.
  ///
  /// The two seconds allow for the transmission to the service.
  package func requiredValidity(from date: Timestamp) -> Timestamp {
    date.advanced(by: .seconds(2))
  }

  package func sign(
    _ call: inout ServiceCall, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check()
    let scheme = TC3Signature(service: service, date: context.date)
    let signature = try scheme.expected(for: call, signing: signedHeaders, secret: key.secret)
    call.request.headerFields[.tcTimestamp] = "\(context.date.unixSeconds)"
    call.request.headerFields[.tcToken] = nil
    if let field = key.tokenField(named: .tcToken) { call.request.headerFields.append(field) }
    call.request.headerFields[.authorization] =
      scheme.authorization(id: key.id, signing: signedHeaders, signature: signature)
  }
}

extension HTTPField.Name {
  static let tcAction = known("X-TC-Action")
  static let tcVersion = known("X-TC-Version")
  static let tcRegion = known("X-TC-Region")
  static let tcTimestamp = known("X-TC-Timestamp")
  fileprivate static let tcToken = known("X-TC-Token")
}

/// The older signature of Tencent Cloud's API, which is sent as a request parameter.
///
/// It is used to verify requests of the vendor's SDKs for temporary keys. Source: the SDKs' code (qcloud-cos-sts-sdk,
/// all languages).
package enum TencentV1Signature {
  /// Returns the string to sign for a request, which contains the parameters unencoded.
  ///
  /// - Parameters:
  ///   - method: The HTTP method of the request.
  ///   - host: The host of the request.
  ///   - path: The path of the request without the query.
  ///   - parameters: The parameters of the query and of the form body, decoded once. A parameter `Signature` is
  ///     ignored.
  package static func stringToSign(
    method: String, host: String, path: String = "/", parameters: [FormPair]
  ) -> String {
    let signed = FormPair.sorted(parameters.filter { $0.name != "Signature" })
    return "\(method)\(host)\(path)?" + signed.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// Returns the signature of a string to sign, in Base64.
  ///
  /// - Parameters:
  ///   - stringToSign: The string to sign.
  ///   - secret: The secret of the access key.
  ///   - method: The value of the parameter `SignatureMethod`. `HmacSHA256` selects HMAC-SHA256, and any other value or
  ///     `nil` selects HMAC-SHA1.
  package static func signature(of stringToSign: String, secret: Secret, method: String? = nil) -> String {
    secret.bytes.withBytes { secret in
      method == "HmacSHA256"
        ? HMACKey<SHA256>(secret).authenticationCode(for: stringToSign).base64
        : HMACKey<SHA1>(secret).authenticationCode(for: stringToSign).base64
    }
  }
}
