// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import CredentialSources
internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The AWS4-HMAC-SHA256 signature of Amazon's services other than S3, as separate steps for signing and verifying.
///
/// The path is signed without further encoding, which is correct because requests that are signed here have the path
/// `/`. Page: "Create a signed AWS API request" in the IAM User Guide.
package struct SigV4Signature: Sendable {
  /// The name of the signature algorithm in the `Authorization` header.
  package static let algorithm = "AWS4-HMAC-SHA256"

  private let scheme: ScopedSignature

  /// Creates the signature of requests to a service.
  ///
  /// - Parameters:
  ///   - region: The region in the signature's scope, such as `eu-central-1`.
  ///   - service: The service in the signature's scope, such as `sts`.
  ///   - date: The signing time, in whole seconds.
  package init(region: String, service: String, date: Timestamp) {
    scheme = ScopedSignature(
      Self.algorithm, secretPrefix: "AWS4", date: date.iso8601Basic,
      scope: [String(date.iso8601Basic.prefix(8)), region, service, "aws4_request"])
  }

  /// The signature's scope, which follows the access key ID in the `Authorization` header.
  ///
  /// An example is `20261120/eu-central-1/sts/aws4_request`.
  package var scope: String { scheme.scope }

  /// Returns the header names that the signature must include: `host`, `content-type` and every `x-amz-` header.
  package static func signedHeaders(of call: ServiceCall) -> [String] { call.signedHeaders(prefixed: "x-amz-") }

  /// Returns the canonical request, which contains all components of the request that are signed.
  ///
  /// - Throws: A `SigningError` if a signed header is missing or repeated, or if the query has an invalid
  ///   percent-encoding.
  package static func canonicalRequest(
    of call: ServiceCall, signing names: [String]
  ) throws(SigningError) -> String {
    try call.canonicalRequest(query: try canonicalQuery(call.query), signing: names) {
      $0.words(between: " ").joined(separator: " ")
    }
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

  /// Returns the canonical query string for a query.
  ///
  /// Parameters are sorted by the bytes of their encoded names, then by the bytes of their encoded values.
  private static func canonicalQuery(_ query: String) throws(SigningError) -> String {
    guard let pairs = FormPair.read(query) else { throw SigningError.unreadablePath }
    return FormPair.sorted(pairs.map { FormPair($0.name.percentEncoded(), $0.value.percentEncoded()) })
      .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }
}

/// A signer of requests to Amazon's services other than S3 with AWS4-HMAC-SHA256.
///
/// The signer adds the date and the session token. The signature includes the host, the content type and every `x-amz-`
/// header.
package struct SigV4Signer: Signer {
  package typealias Request = ServiceCall
  package typealias SigningCredential = AccessKey

  private let region: String
  private let service: String

  /// Creates a signer for requests to a service.
  ///
  /// - Parameters:
  ///   - region: The region in the signature's scope.
  ///   - service: The service in the signature's scope, such as `sts`.
  package init(region: String, service: String) {
    self.region = region
    self.service = service
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
    try key.check(idWithout: .comma)
    var signed = call
    signed.request.headerFields[.amzDate] = context.date.iso8601Basic
    signed.request.headerFields[.amzSecurityToken] = nil
    if let field = key.tokenField(named: .amzSecurityToken) { signed.request.headerFields.append(field) }
    let names = SigV4Signature.signedHeaders(of: signed)
    let scheme = SigV4Signature(region: region, service: service, date: context.date)
    let signature = try scheme.expected(for: signed, signing: names, secret: key.secret)
    signed.request.headerFields[.authorization] =
      scheme.authorization(id: key.id, signing: names, signature: signature)
    call = signed
  }
}

extension HTTPField.Name {
  fileprivate static let amzDate = known("X-Amz-Date")
  fileprivate static let amzSecurityToken = known("X-Amz-Security-Token")
}
