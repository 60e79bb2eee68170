// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis

extension SignedService {
  /// Returns Alibaba Cloud OSS as the service for which requests are signed, with the version taken from each request.
  ///
  /// - Parameters:
  ///   - bucket: The signed bucket name, which is required for a custom domain.
  ///   - region: The region of the bucket, or `nil` if the caller does not know it.
  ///   - style: The position of the bucket name in the URL, or `nil` to derive the position from the host.
  public static func oss(bucket: String? = nil, region: String? = nil, style: AddressingStyle? = nil) -> SignedService {
    SignedService(OSSSignatureReader(bucket: bucket, region: region, style: style))
  }
}

/// A reader of the signatures of OSS requests, for the diagnosis of a mismatch.
struct OSSSignatureReader: SignatureReader {
  let bucket: String?
  let region: String?
  let style: AddressingStyle?
  let signatureParameters: Set = ["Signature", "x-oss-signature"]
  let dateHeaders: Set = ["date", "x-oss-date"]
  var clockTolerance: Duration { OSSLimits.clockTolerance }
  var errorCodes: ServiceErrorCodes { ServiceDescription.oss.errorCodes }

  func signature(of request: HTTPRequest) throws(VerificationError) -> SignatureReading? {
    let verifier = OSSVerifier(style: signedStyle(of: request), bucket: bucket)
    guard let claim = try verifier.claim(in: request) else { return nil }
    do throws(SigningError) {
      return SignatureReading(
        accessKeyID: claim.accessKeyID, hasToken: claim.sessionToken != nil, signedAt: claim.signedAt,
        expiration: claim.expiration, texts: try verifier.signedTexts(of: claim))
    } catch { throw VerificationError(error) }
  }

  /// Returns the signer's addressing style; a configured bucket takes precedence over a bucket in the host.
  private func signedStyle(of request: HTTPRequest) -> AddressingStyle? {
    let authority = request.authority ?? ""
    guard bucket != nil, (style ?? AddressingStyle(authority: authority)) != .path else { return style }
    return ServiceHosts.oss.isService(authority) && ServiceHosts.oss.own(authority) ? style : .customDomain
  }

  func signsBucketOutsidePath(of request: HTTPRequest) -> Bool {
    (style ?? AddressingStyle(authority: request.authority ?? "")) != .path
  }

  func isTemporary(_ id: AccessKeyID) -> Bool? { id.utf8.starts(with: "STS.".utf8) }

  func parts(ofStringToSign text: String, for request: HTTPRequest) -> SignedParts? {
    if text.hasBytePrefix("OSS4-") { return SignedParts(scopedStringToSign: text, algorithm: "OSS4-", version: "V4") }
    return SignedParts(ossV1: text, path: request.decodedPath)
  }

  func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts? {
    SignedParts(canonicalRequest: text, list: .additionalHeaders, version: "V4")
  }

  func hash(ofCanonicalRequest text: String) -> String? { SHA256.hash(Array(text.utf8)).hex }

  func kind(ofCopiedText lines: [String]) -> CopiedTextKind? {
    if lines[0].hasBytePrefix("OSS4-HMAC") { return .stringToSign }
    guard ["GET", "PUT", "POST", "HEAD", "DELETE", "OPTIONS"].contains(lines[0]) else { return nil }
    return lines[1].hasBytePrefix("/") ? .canonicalRequest : .stringToSign
  }

  /// Returns the finding for an `InvalidArgument`, whose causes only the service's messages distinguish.
  func finding(for rejection: RejectedResponse.Reading, to request: HTTPRequest) -> SignatureFinding? {
    guard rejection.code == "InvalidArgument", let message = rejection.message else { return nil }
    let claim = try? OSSVerifier(style: signedStyle(of: request), bucket: bucket).claim(in: request)
    if message.contains("signing region") { return wrongRegionFinding(claim?.v4?.region) }
    if message.contains("signing product") {
      return SignatureFinding(.wrongService, line: SignedPart.scopeService.name, sent: claim?.v4?.product)
    }
    if message.contains("signing date") { return dateFinding(for: claim) }
    if message.contains("additional header") {
      return SignatureFinding(
        .additionalHeaders, line: SignedPart.additionalHeaders.name,
        detail: "The service says: \"\(message.onOneLine)\"")
    }
    return message.contains("UNSIGNED-PAYLOAD") ? payloadHashFinding(for: request) : nil
  }

  private func dateFinding(for claim: OSSClaim?) -> SignatureFinding {
    guard let day = claim?.v4?.day, let date = claim?.signedAt, !date.iso8601Basic.hasBytePrefix(day) else {
      return SignatureFinding(.clockSkew)
    }
    return SignatureFinding(
      .wrongDay, line: SignedPart.scopeDay.name, sent: day,
      detail: "The scope names the day \(day.onOneLine), and the request was signed at \(date).")
  }

  private func payloadHashFinding(for request: HTTPRequest) -> SignatureFinding {
    let canonicalRequest = (try? signature(of: request))?.texts.canonicalRequest
    return SignatureFinding(
      .payloadHash, line: SignedPart.payloadHash.name,
      sent: canonicalRequest.flatMap { parts(ofCanonicalRequest: $0, for: request) }?[.payloadHash])
  }

  private func wrongRegionFinding(_ signedRegion: String?) -> SignatureFinding {
    var detail = ""
    if let signedRegion, let bucketRegion = region, bucketRegion != signedRegion {
      detail = "The signature is for \(signedRegion) and the bucket is in \(bucketRegion)."
    } else if let signedRegion, signedRegion.hasBytePrefix("oss-") || signedRegion.hasByteSuffix("-internal") {
      detail = "\"\(signedRegion.onOneLine)\" is part of an endpoint's name."
    }
    return SignatureFinding(.wrongRegion, line: SignedPart.scopeRegion.name, sent: signedRegion, detail: detail)
  }

  func advice(for cause: SignatureDiagnosis.Cause) -> SignatureDiagnosis.Advice? {
    switch cause {
    case .dateChanged: cause.advice(remedy: "Send the date that was signed; where Date cannot be set, send x-oss-date.")
    case .dateMissing: cause.advice(remedy: "Send x-oss-date instead.")
    case .wrongDay: cause.advice(remedy: "Use the day of x-oss-date, in UTC.")
    case .payloadHash:
      cause.advice("The service accepts only UNSIGNED-PAYLOAD.", remedy: "Send x-oss-content-sha256: UNSIGNED-PAYLOAD.")
    case .wrongRegion:
      cause.advice(
        "The region is not that of the bucket, or is spelt like an endpoint: oss-cn-hangzhou, cn-hangzhou-internal.",
        remedy: "Use the region of the bucket in its general form, such as cn-hangzhou.")
    case .wrongService: cause.advice(remedy: "Use oss; oss-cloudbox for a cloud box.")
    case .wrongVersion:
      cause.advice(
        "The service requires another signature version; new OSS accounts and buckets accept only V4.",
        remedy: cause.commonAdvice.remedy)
    default: nil
    }
  }
}

extension SignedParts {
  /// Parses a V1 string to sign, whose decoded resource does not show which `?` ends the key; `path` shows it.
  fileprivate init?(ossV1 text: String, path: String?) {
    let lines = text.lines
    guard lines.count >= 5 else { return nil }
    self.init(version: "V1")
    add(.method, lines[0])
    add(.header("content-md5"), lines[1], isLine: true)
    add(.header("content-type"), lines[2], isLine: true)
    add(.date, lines[3], isLine: true)
    var index = 4
    while index < lines.count - 1, lines[index].hasBytePrefix("x-oss-") {
      let (name, value) = lines[index].splitOnce(at: ":")
      guard let value else { break }
      add(.header(name), value)
      index += 1
    }
    add(resource: lines[index...].joined(separator: "\n"), path: path)
  }

  private mutating func add(resource: String, path: String?) {
    let pieces = resource.split(at: "?")
    let keyMarkCount = min((path ?? "").occurrences(of: "?"), pieces.count - 1)
    add(.path, pieces[...keyMarkCount].joined(separator: "?"))
    guard pieces.count > keyMarkCount + 1 else { return }
    add(query: pieces[(keyMarkCount + 1)...].joined(separator: "?"))
  }
}
