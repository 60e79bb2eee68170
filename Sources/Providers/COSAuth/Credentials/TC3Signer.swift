// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth

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
      "\(TC3Signature.algorithm) Credential=\(key.id)/\(scheme.scope), "
      + "SignedHeaders=\(signedHeaders.joined(separator: ";")), Signature=\(signature)"
  }
}

extension HTTPField.Name {
  static let tcAction = known("X-TC-Action")
  static let tcVersion = known("X-TC-Version")
  static let tcRegion = known("X-TC-Region")
  static let tcTimestamp = known("X-TC-Timestamp")
  fileprivate static let tcToken = known("X-TC-Token")
}
