// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth

/// A signer of requests to Alibaba Cloud's API with ACS3-HMAC-SHA256.
///
/// The request must already specify its action, version and nonce in `x-acs-` headers. The signer adds the date, the
/// hash of the body and the session token. The service accepts each nonce only once, so a request that is sent again
/// needs a new nonce before it is signed.
package struct ACS3Signer: Signer {
  package typealias Request = ServiceCall
  package typealias SigningCredential = AccessKey

  package init() {}

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
    var signed = call
    signed.request.headerFields[.acsDate] = context.date.iso8601
    signed.request.headerFields[.acsContentSHA256] = call.bodyHash
    signed.request.headerFields[.acsSecurityToken] = nil
    if let field = key.tokenField(named: .acsSecurityToken) { signed.request.headerFields.append(field) }
    for name in ["x-acs-action", "x-acs-version", "x-acs-signature-nonce"] {
      _ = try signed.signedValue(of: name)
    }
    let names = ACS3Signature.signedHeaders(of: signed)
    let signature = try ACS3Signature.expected(for: signed, signing: names, secret: key.secret)
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
