// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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

struct S3SignatureReader: SignatureReader {
  let bucket: String?
  let region: String?
  let style: AddressingStyle?

  let signatureParameters: Set = ["X-Amz-Signature", "Signature"]
  let dateHeaders: Set = ["date", "x-amz-date"]
  var clockTolerance: Duration { S3Verifier.clockTolerance }
  var errorCodes: ServiceErrorCodes { ServiceDescription.s3.errorCodes }

  private var verifier: S3Verifier { S3Verifier(style: style, bucket: bucket) }

  let meanings = RefusalMeaning.common.merging([
    "AuthorizationHeaderMalformed": .malformed, "AuthorizationQueryParametersError": .malformed,
    "InvalidRequest": .malformed, "XAmzContentSHA256Mismatch": .malformed, "PermanentRedirect": .malformed,
    "TokenRefreshRequired": .endedToken,
  ]) { $1 }

  func signature(of request: HTTPRequest) throws(VerificationError) -> SignatureReading? {
    guard let claim = try verifier.claim(in: request) else { return nil }
    do throws(SigningError) {
      return SignatureReading(
        accessKeyID: claim.accessKeyID, hasToken: claim.sessionToken != nil, signedAt: claim.date,
        end: claim.expiration, texts: try claim.signedTexts)
    } catch {
      throw VerificationError(error)
    }
  }

  /// Returns whether an ID belongs to a temporary key (`ASIA`) or a user's key (`AKIA`), or `nil` for other services.
  func isTemporary(_ id: AccessKeyID) -> Bool? {
    if id.utf8.starts(with: "ASIA".utf8) { return true }
    return id.utf8.starts(with: "AKIA".utf8) ? false : nil
  }

  // MARK: Texts

  func parts(ofStringToSign text: String, for request: HTTPRequest) -> SignedParts? {
    guard let product = text.lines.dropFirst(2).first?.cut(at: "/"),
      product.last?.isIdentical(to: "aws4_request") == true
    else { return nil }
    return SignedParts(scopedStringToSign: text, algorithm: "AWS4-HMAC-SHA256")
  }

  /// Parses a canonical request, without the header that repeats the payload hash.
  func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts? {
    guard let all = SignedParts(canonicalRequest: text, list: .signedHeaders) else { return nil }
    let hashHeader = SignedPart.header("x-amz-content-sha256")
    guard let hash = all[.payloadHash], all[hashHeader]?.isIdentical(to: hash) ?? false else { return all }
    return all.without(hashHeader)
  }

  func hash(ofCanonicalRequest text: String) -> String? { SHA256.hash(Array(text.utf8)).hex }

  func copiedText(_ lines: [String]) -> CopiedText? {
    if lines[0].hasBytePrefix("AWS4-HMAC-SHA256") { return .stringToSign }
    let methods = ["GET", "PUT", "POST", "HEAD", "DELETE", "OPTIONS"]
    return methods.contains(lines[0]) && lines[1].hasBytePrefix("/") ? .canonicalRequest : nil
  }

  // MARK: Refusals

  func finding(for refusal: RejectedResponse.Reading, to request: HTTPRequest) -> SignatureFinding? {
    let message = refusal.message ?? ""
    switch refusal.code {
    case "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError":
      return scopeFinding(refusal, message, request)
    case "PermanentRedirect":
      let endpoint = refusal.details["Endpoint"].map { "The bucket is reached at \($0.onOneLine)." } ?? ""
      return SignatureFinding(
        .wrongRegion, line: SignedPart.scopeRegion.name, sent: claim(of: request)?.authorization.region,
        detail: endpoint)
    case "XAmzContentSHA256Mismatch":
      return SignatureFinding(
        .payloadHash, line: SignedPart.payloadHash.name,
        sent: refusal.details["ClientComputedContentSHA256"].map(\.onOneLine),
        seen: refusal.details["S3ComputedContentSHA256"].map(\.onOneLine))
    case "AccessDenied":
      if message.hasBytePrefix("Request is not yet valid") { return SignatureFinding(.notYetValid) }
      return message.hasBytePrefix("There were headers present") ? unsignedHeader(refusal, message) : nil
    case "InvalidRequest":
      if message.contains("AWS4-HMAC-SHA256") { return SignatureFinding(.wrongVersion, detail: words(message)) }
      guard message.contains("x-amz-content-sha256") else { return nil }
      return SignatureFinding(.payloadHash, line: SignedPart.payloadHash.name, detail: words(message))
    case "InvalidArgument":
      if message.hasBytePrefix("Only one auth mechanism allowed") { return SignatureFinding(.signatureTwice) }
      return message.contains("AWS4-HMAC-SHA256") ? SignatureFinding(.wrongVersion, detail: words(message)) : nil
    case "SignatureDoesNotMatch":
      guard message.hasBytePrefix("The signed header ") else { return nil }
      return SignatureFinding(.headerRemoved, detail: words(message))
    default: return nil
    }
  }

  private func words(_ message: String) -> String { "The service says: \"\(message.onOneLine)\"" }

  private func claim(of request: HTTPRequest) -> S3Claim? { try? verifier.claim(in: request) }

  private func scopeFinding(
    _ refusal: RejectedResponse.Reading, _ message: String, _ request: HTTPRequest
  ) -> SignatureFinding? {
    let claim = claim(of: request)
    if message.contains("region '") || refusal.details["Region"] != nil {
      var detail = words(message)
      if let region = claim?.authorization.region, let known = refusal.details["Region"] ?? self.region, known != region
      {
        detail = "The signature is for \(region.onOneLine) and the bucket is in \(known.onOneLine)."
      }
      return SignatureFinding(
        .wrongRegion, line: SignedPart.scopeRegion.name, sent: claim?.authorization.region,
        seen: refusal.details["Region"].map(\.onOneLine), detail: detail)
    }
    if message.contains("ncorrect service") {
      return SignatureFinding(
        .wrongProduct, line: SignedPart.scopeProduct.name, sent: claim?.authorization.service, detail: words(message))
    }
    guard message.contains("credential date") else { return nil }
    return SignatureFinding(
      .wrongDay, line: SignedPart.scopeDay.name, sent: claim?.authorization.day, detail: words(message))
  }

  private func unsignedHeader(_ refusal: RejectedResponse.Reading, _ message: String) -> SignatureFinding {
    let listed = refusal.details["HeadersNotSigned"] ?? message.cutOnce(at: ":").behind ?? ""
    let parts = listed.cut(at: ",").map { SignedPart.header(String($0.droppingBlanks)) }
    let isToken = parts.contains(where: \.isToken)
    return SignatureFinding(
      isToken ? .tokenUnsigned : .unsignedField, line: parts.first { $0.isToken == isToken }?.name.onOneLine,
      detail: words(message))
  }

  func advice(for cause: SignatureDiagnosis.Cause) -> (usual: String, remedy: String)? {
    switch cause {
    case .dateChanged: (cause.text.usual, "Send the date that was signed, in x-amz-date.")
    case .dateMissing: (cause.text.usual, "Send the time of signing in x-amz-date.")
    case .wrongDay: (cause.text.usual, "Use the day of x-amz-date, in UTC.")
    case .payloadHash:
      (
        "x-amz-content-sha256 must be the hash of the body that is sent, UNSIGNED-PAYLOAD, or a form of chunks, and the "
          + "body or the header was changed after signing.",
        "Compute the hash from the bytes that are sent, before signing, and do not change the body after that."
      )
    case .wrongRegion:
      (
        "The bucket is in another region than the client is set to; the region of an S3-compatible service can be "
          + "another word, such as auto or garage.",
        "Sign for the region of the bucket; x-amz-bucket-region of a response to HEAD names it."
      )
    case .wrongProduct: (cause.text.usual, "Use s3.")
    case .unsignedField:
      (
        "An x-amz- header was added after signing, by a proxy or by the app.",
        "Set it before signing, or do not send it."
      )
    case .wrongVersion:
      ("Signature Version 2 is no longer accepted, and 4A is another scheme.", "Sign with AWS4-HMAC-SHA256.")
    default: nil
    }
  }
}
