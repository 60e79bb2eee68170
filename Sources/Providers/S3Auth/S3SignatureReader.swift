// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis

extension SignedService {
  /// Returns Amazon S3, or a compatible service, as the service for which requests are signed.
  ///
  /// - Parameters:
  ///   - bucket: The bucket name for a custom domain.
  ///   - region: The region of the bucket, or `nil` if the caller does not know it.
  ///   - style: The position of the bucket name in the URL, or `nil` to derive the position from the host.
  public static func s3(bucket: String? = nil, region: String? = nil, style: AddressingStyle? = nil) -> SignedService {
    SignedService(S3SignatureReader(bucket: bucket, region: region, style: style))
  }
}

/// A reader of the signatures of S3 requests, for the diagnosis of a mismatch.
struct S3SignatureReader: SignatureReader {
  let bucket: String?
  let region: String?
  let style: AddressingStyle?
  let signatureParameters: Set = ["X-Amz-Signature", "Signature"]
  let dateHeaders: Set = ["date", "x-amz-date"]
  var clockTolerance: Duration { S3Verifier.clockTolerance }
  var errorCodes: ServiceErrorCodes { ServiceDescription.s3.errorCodes }

  private static let algorithm = S3Text.algorithm.description
  private var verifier: S3Verifier { S3Verifier(style: style, bucket: bucket) }

  let refusalMeanings = RefusalMeaning.common.merging([
    "AuthorizationHeaderMalformed": .malformed, "AuthorizationQueryParametersError": .malformed,
    "InvalidRequest": .malformed, "XAmzContentSHA256Mismatch": .malformed, "PermanentRedirect": .malformed,
    "TokenRefreshRequired": .expiredToken,
  ]) { $1 }

  func signature(of request: HTTPRequest) throws(VerificationError) -> SignatureReading? {
    guard let claim = try verifier.claim(in: request) else { return nil }
    do throws(SigningError) {
      return SignatureReading(
        accessKeyID: claim.accessKeyID, hasToken: claim.sessionToken != nil, signedAt: claim.date,
        expiration: claim.expiration, texts: try claim.signedTexts)
    } catch { throw VerificationError(error) }
  }

  /// Returns whether an ID belongs to a temporary key (`ASIA`) or a user's key (`AKIA`), or `nil` for other IDs.
  func isTemporary(_ id: AccessKeyID) -> Bool? {
    if id.utf8.starts(with: "ASIA".utf8) { return true }
    return id.utf8.starts(with: "AKIA".utf8) ? false : nil
  }

  func parts(ofStringToSign text: String, for request: HTTPRequest) -> SignedParts? {
    guard let scope = text.lines.dropFirst(2).first?.split(at: "/"),
      scope.last?.isIdentical(to: S3Text.scopeTerminator.description) == true
    else { return nil }
    return SignedParts(scopedStringToSign: text, algorithm: Self.algorithm)
  }

  /// Parses a canonical request, without the header that repeats the payload hash.
  func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts? {
    guard let parts = SignedParts(canonicalRequest: text, list: .signedHeaders) else { return nil }
    let hashHeader = SignedPart.header("x-amz-content-sha256")
    guard let hash = parts[.payloadHash], parts[hashHeader]?.isIdentical(to: hash) ?? false else { return parts }
    return parts.without(hashHeader)
  }

  func hash(ofCanonicalRequest text: String) -> String? { SHA256.hash(Array(text.utf8)).hex }

  func kind(ofCopiedText lines: [String]) -> CopiedTextKind? {
    if lines[0].hasBytePrefix(Self.algorithm) { return .stringToSign }
    let methods = ["GET", "PUT", "POST", "HEAD", "DELETE", "OPTIONS"]
    return methods.contains(lines[0]) && lines[1].hasBytePrefix("/") ? .canonicalRequest : nil
  }

  /// Returns the finding for a rejection; the service's messages distinguish the causes that have the same code.
  func finding(for rejection: RejectedResponse.Reading, to request: HTTPRequest) -> SignatureFinding? {
    let message = rejection.message ?? ""
    switch rejection.code {
    case "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError":
      return scopeFinding(for: rejection, message: message, sent: authorization(of: request))
    case "PermanentRedirect": return redirectFinding(for: rejection, sent: authorization(of: request))
    case "XAmzContentSHA256Mismatch": return payloadHashFinding(for: rejection)
    case "AccessDenied":
      if message.hasBytePrefix("Request is not yet valid") { return SignatureFinding(.notYetValid) }
      guard message.hasBytePrefix("There were headers present") else { return nil }
      return unsignedHeaderFinding(for: rejection, message: message)
    case "InvalidRequest":
      if message.contains(Self.algorithm) { return SignatureFinding(.wrongVersion, detail: quotation(of: message)) }
      guard message.contains("x-amz-content-sha256") else { return nil }
      return SignatureFinding(.payloadHash, line: SignedPart.payloadHash.name, detail: quotation(of: message))
    case "InvalidArgument":
      if message.hasBytePrefix("Only one auth mechanism allowed") { return SignatureFinding(.multipleSignatures) }
      return message.contains(Self.algorithm) ? SignatureFinding(.wrongVersion, detail: quotation(of: message)) : nil
    case "SignatureDoesNotMatch":
      guard message.hasBytePrefix("The signed header ") else { return nil }
      return SignatureFinding(.headerRemoved, detail: quotation(of: message))
    default: return nil
    }
  }

  private func quotation(of message: String) -> String { "The service says: \"\(message.onOneLine)\"" }

  private func authorization(of request: HTTPRequest) -> S3Authorization? {
    // Without a readable claim, the finding only lacks the value that was sent.
    (try? verifier.claim(in: request))?.authorization
  }

  private func redirectFinding(for rejection: RejectedResponse.Reading, sent: S3Authorization?) -> SignatureFinding {
    let endpoint = rejection.details["Endpoint"].map { "The bucket is reached at \($0.onOneLine)." }
    return SignatureFinding(.wrongRegion, line: SignedPart.scopeRegion.name, sent: sent?.region, detail: endpoint ?? "")
  }

  private func payloadHashFinding(for rejection: RejectedResponse.Reading) -> SignatureFinding {
    SignatureFinding(
      .payloadHash, line: SignedPart.payloadHash.name,
      sent: rejection.details["ClientComputedContentSHA256"].map(\.onOneLine),
      received: rejection.details["S3ComputedContentSHA256"].map(\.onOneLine))
  }

  private func scopeFinding(
    for rejection: RejectedResponse.Reading, message: String, sent: S3Authorization?
  ) -> SignatureFinding? {
    if message.contains("region '") || rejection.details["Region"] != nil {
      return regionFinding(for: rejection, message: message, sent: sent)
    }
    // The phrase starts a message with a capital letter, or follows "The authorization header is malformed;".
    if message.contains("ncorrect service") {
      return SignatureFinding(
        .wrongService, line: SignedPart.scopeService.name, sent: sent?.service, detail: quotation(of: message))
    }
    guard message.contains("credential date") else { return nil }
    return SignatureFinding(.wrongDay, line: SignedPart.scopeDay.name, sent: sent?.day, detail: quotation(of: message))
  }

  private func regionFinding(
    for rejection: RejectedResponse.Reading, message: String, sent: S3Authorization?
  ) -> SignatureFinding {
    let expectedRegion = rejection.details["Region"]
    var detail = quotation(of: message)
    if let signedRegion = sent?.region, let bucketRegion = expectedRegion ?? region, bucketRegion != signedRegion {
      detail = "The signature is for \(signedRegion.onOneLine) and the bucket is in \(bucketRegion.onOneLine)."
    }
    return SignatureFinding(
      .wrongRegion, line: SignedPart.scopeRegion.name, sent: sent?.region, received: expectedRegion.map(\.onOneLine),
      detail: detail)
  }

  private func unsignedHeaderFinding(for rejection: RejectedResponse.Reading, message: String) -> SignatureFinding {
    let names = rejection.details["HeadersNotSigned"] ?? message.splitOnce(at: ":").after ?? ""
    let headers = names.split(at: ",").map { SignedPart.header(String($0.droppingBlanks)) }
    // An unsigned token is the usual cause, so it is the header that is reported.
    let isToken = headers.contains(where: \.isToken)
    return SignatureFinding(
      isToken ? .tokenUnsigned : .unsignedField, line: headers.first { $0.isToken == isToken }?.name.onOneLine,
      detail: quotation(of: message))
  }

  func advice(for cause: SignatureDiagnosis.Cause) -> SignatureDiagnosis.Advice? {
    switch cause {
    case .dateChanged: cause.advice(remedy: "Send the date that was signed, in x-amz-date.")
    case .dateMissing: cause.advice(remedy: "Send the time of signing in x-amz-date.")
    case .wrongDay: cause.advice(remedy: "Use the day of x-amz-date, in UTC.")
    case .payloadHash:
      cause.advice(
        "x-amz-content-sha256 must be the hash of the body that is sent, UNSIGNED-PAYLOAD, or a form of chunks, and the "
          + "body or the header was changed after signing.",
        remedy: "Compute the hash from the bytes that are sent, before signing, and do not change the body after that.")
    case .wrongRegion:
      cause.advice(
        "The bucket is in another region than the client is set to; the region of an S3-compatible service can be "
          + "another word, such as auto or garage.",
        remedy: "Sign for the region of the bucket; x-amz-bucket-region of a response to HEAD names it.")
    case .wrongService: cause.advice(remedy: "Use s3.")
    case .unsignedField:
      cause.advice(
        "An x-amz- header was added after signing, by a proxy or by the app.",
        remedy: "Set it before signing, or do not send it.")
    case .wrongVersion:
      cause.advice(
        "Signature Version 2 is no longer accepted, and 4A is another scheme.", remedy: "Sign with AWS4-HMAC-SHA256.")
    default: nil
    }
  }
}
