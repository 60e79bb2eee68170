// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// The unverified statements of a request about its S3 signature, such as the access key ID and the payload.
public struct S3Claim: SignatureClaim, Redacted {
  /// The ID of the access key with which the request claims to be signed.
  public let accessKeyID: AccessKeyID
  /// The session token in the request, or `nil` if the request contains no session token.
  public let sessionToken: Secret?
  /// The part of the request that contains the signature: the headers or the URL.
  public let placement: VerifiedRequest.Placement
  /// The value that the signature covers for the body; ``S3Payload/unsigned`` for a URL.
  public let payload: S3Payload
  /// The request that the claim was parsed from.
  public let request: HTTPRequest

  /// The access key ID and the placement, without the token, the signature and the request.
  public var description: String { "S3Claim(\(accessKeyID), in the \(placement))" }

  let authorization: S3Authorization
  /// The signing time.
  package let date: Timestamp
  /// The lifetime of a URL in seconds, or `nil` for a signature in the headers.
  let lifetime: Int64?
  let target: RequestTarget
  /// The verifier that parsed the claim, and is the only one that accepts it.
  let verifier: S3Verifier

  var expiration: Timestamp? { lifetime.map { date.advanced(by: .seconds($0)) } }
  var scope: S3Scope { S3Scope(date: date, region: authorization.region, service: authorization.service) }

  /// Calls `body` with a function that appends the canonical request, and with the names of the signed headers.
  func withCanonicalRequest<Result>(
    _ body: (_ appendText: (inout ByteWriter) -> Void, _ names: Span<UInt8>) -> Result
  ) throws(SigningError) -> Result {
    try S3CanonicalRequest(
      selection: .listed(authorization.signedHeaders), payload: payload.text, allowsControlCharacters: true
    ).withCanonicalRequest(
      request, fields: FieldDraft(request.headerFields), path: request.path ?? "/",
      omitting: placement == .query ? S3Text.signatureParameter : nil, body)
  }

  /// The canonical request and the string to sign, as the service derives them from the request.
  var signedTexts: SignedTexts {
    get throws(SigningError) {
      try withCanonicalRequest { appendText, _ in
        let hash = SHA256.hash(writing: appendText)
        return SignedTexts(
          stringToSign: String(writing: { scope.append(stringToSign: hash, to: &$0) }),
          canonicalRequest: String(writing: appendText))
      }
    }
  }

  /// Returns the signing time from `x-amz-date`, or else from `Date`, which can also be an HTTP date.
  static func date(of request: HTTPRequest) throws(VerificationError) -> Timestamp? {
    if let amzDate = try request.headerFields.uniqueValue(for: .s3Date) { return Timestamp(iso8601Basic: amzDate) }
    guard let text = try request.headerFields.uniqueValue(for: .date) else { return nil }
    return Timestamp(iso8601Basic: text) ?? Timestamp(httpDate: text)
  }
}
