// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
internal import StorageCrypto

extension S3Verifier {
  /// The lowercase names of the query parameters of all S3 signatures; any of them marks a URL as presigned.
  static let lowercaseParameters = Set(
    (S3Text.v4Parameters + ["AWSAccessKeyId", "Signature"] + notImplementedParameters)
      .map { ByteExactString($0).asciiLowercased })

  /// The parameters of Signature Version 4, in the only spelling that S3 reads.
  private static let exactV4Parameters = Set(S3Text.v4Parameters.map { ByteExactString($0) })
  private static let notImplementedParameters = ["X-Amz-Region-Set", "X-Amz-S3session-Token"]

  /// Parses the target of a request, whose address determines the position of the bucket name.
  package func target(of request: HTTPRequest) throws(VerificationError) -> RequestTarget {
    let address = S3Address(authority: request.authority ?? "", style: style, customDomainBucket: bucket)
    let target = try RequestTarget(
      of: request, style: address.isBucketInPath ? .path : .customDomain, bucket: address.bucket)
    guard target.bucket?.isEmpty != true else {
      throw VerificationError.unreadable("The bucket in the path is empty.").with(serviceCode: "InvalidBucketName")
    }
    return target
  }

  /// Returns whether a URL contains a Signature Version 4 signature, and rejects other signatures and other spellings.
  func hasSignature(in target: RequestTarget) throws(VerificationError) -> Bool {
    var isSigned = false
    for parameter in target.parameters {
      let lowercaseName = ByteExactString(parameter.name.string.lowercased())
      guard Self.lowercaseParameters.contains(lowercaseName) else { continue }
      if parameter.name == "AWSAccessKeyId" || parameter.name == "Signature" {
        throw S3Authorization.unsupportedVersion2
      }
      guard Self.exactV4Parameters.contains(parameter.name) else {
        if lowercaseName == "x-amz-region-set" { throw S3Authorization.version4ANotImplemented }
        if lowercaseName == "x-amz-s3session-token" { throw S3Authorization.expressNotImplemented }
        throw S3Authorization.malformed(
          "The parameter \"\(parameter.name.string.onOneLine)\" is not in the case that S3 gives its name.",
          as: Self.queryErrorCode)
      }
      isSigned = true
    }
    return isSigned
  }

  /// Parses the claim of a request with a signature in the headers.
  func headerClaim(of request: HTTPRequest, at target: RequestTarget) throws(VerificationError) -> S3Claim {
    let fields = request.headerFields
    let authorization = try S3Authorization(fields.uniqueValue(for: .authorization) ?? "")
    guard let date = try S3Claim.date(of: request) else {
      throw .s3(
        "AccessDenied", .missingDate, "AWS authentication requires a valid Date or x-amz-date header.",
        remedy: "Send the time of signing in x-amz-date, like 20261120T080000Z.")
    }
    guard let payloadHash = try fields.uniqueValue(for: .s3ContentSHA256) else {
      throw .s3(
        "InvalidRequest", .malformed, "Missing required header for this request: x-amz-content-sha256",
        remedy: "Send the hash of the body, or UNSIGNED-PAYLOAD.")
    }
    return S3Claim(
      accessKeyID: authorization.accessKeyID,
      sessionToken: try fields.uniqueValue(for: .s3SecurityToken).map { Secret($0) }, placement: .header,
      payload: try acceptedPayload(header: payloadHash), request: request, authorization: authorization, date: date,
      lifetime: nil, target: target, verifier: self)
  }

  private func acceptedPayload(header hash: String) throws(VerificationError) -> S3Payload {
    guard let payload = S3Payload(header: hash) else {
      if hash.hasBytePrefix("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD") {
        throw S3Authorization.version4ANotImplemented
      }
      throw .s3(
        "InvalidArgument", .unsupported,
        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
          + "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.",
        remedy: "Send the hash of the body, or UNSIGNED-PAYLOAD.")
    }
    guard allowsUnsignedPayload || payload != .unsigned && payload != .unsignedChunksWithTrailer else {
      throw .s3(
        "InvalidRequest", .unsupported, "The signature must cover the body.",
        remedy: "Send the hash of the body, or signed chunks.")
    }
    return payload
  }

  /// Parses the claim of a request with a signature in the URL.
  func urlClaim(of request: HTTPRequest, at target: RequestTarget) throws(VerificationError) -> S3Claim {
    guard let algorithm = try target.uniqueValue(for: "X-Amz-Algorithm"),
      let credential = try target.uniqueValue(for: "X-Amz-Credential"),
      let signature = try target.uniqueValue(for: "X-Amz-Signature"),
      let dateText = try target.uniqueValue(for: "X-Amz-Date"),
      let names = try target.uniqueValue(for: "X-Amz-SignedHeaders"),
      let expires = try target.uniqueValue(for: "X-Amz-Expires")
    else {
      throw S3Authorization.malformed(
        "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
          + "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.", as: Self.queryErrorCode)
    }
    guard algorithm.isIdentical(to: S3Text.algorithm.description) else {
      throw S3Authorization.unsupportedScheme(algorithm)
    }
    let authorization = try S3Authorization(
      credential: credential[...], signedHeaders: names[...], signature: signature[...], as: Self.queryErrorCode)
    guard let date = Timestamp(iso8601Basic: dateText) else {
      throw S3Authorization.malformed(
        "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"", as: Self.queryErrorCode)
    }
    let token = try target.uniqueValue(for: "X-Amz-Security-Token").map { Secret($0) }
    if request.headerFields.contains(.s3SecurityToken) {
      throw VerificationError.ambiguous("The signature is in the URL and a session token in the headers.")
        .with(serviceCode: "InvalidArgument")
    }
    try checkPayloadHash(ofURLRequest: request, at: target)
    try checkBody(ofURLRequest: request)
    return S3Claim(
      accessKeyID: authorization.accessKeyID, sessionToken: token, placement: .query, payload: .unsigned,
      request: request, authorization: authorization, date: date, lifetime: try lifetimeSeconds(in: expires),
      target: target, verifier: self)
  }

  private func lifetimeSeconds(in text: String) throws(VerificationError) -> Int64 {
    let isNegative = text.hasBytePrefix("-")
    // A number may be too long for an `Int64`.
    let isNumber = !text.isEmpty && text.utf8.allSatisfy(\.isASCIIDigit)
    guard isNumber || isNegative && Int64(digits: text.dropFirst()) != nil else {
      throw S3Authorization.malformed("X-Amz-Expires should be a number", as: Self.queryErrorCode)
    }
    if isNegative { throw S3Authorization.malformed("X-Amz-Expires must be non-negative", as: Self.queryErrorCode) }
    guard let seconds = Int64(digits: text), S3Limits.urlLifetimeSeconds.contains(seconds) else {
      throw S3Authorization.malformed(
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 "
          + "seconds, and at least 1", as: Self.queryErrorCode)
    }
    return seconds
  }

  /// Rejects an unsigned `x-amz-content-sha256` other than `UNSIGNED-PAYLOAD` in a request with a presigned URL.
  private func checkPayloadHash(ofURLRequest request: HTTPRequest, at target: RequestTarget) throws(VerificationError) {
    let parameterHashes = target.parameters.filter { $0.name.asciiLowercased == "x-amz-content-sha256" }
      .map { $0.value?.string ?? "" }
    let headerHash = try request.headerFields.uniqueValue(for: .s3ContentSHA256)
    guard parameterHashes.allSatisfy({ $0 == S3Payload.unsigned.text }),
      headerHash.map({ $0 == S3Payload.unsigned.text || $0.isLowerHex(byteCount: SHA256.digestByteCount) }) ?? true
    else {
      throw .s3(
        "InvalidArgument", .unsupported, "The body of a request with a signed URL is UNSIGNED-PAYLOAD.",
        remedy: "Sign in the headers to cover the body, or to send it in chunks.")
    }
  }

  /// Rejects a presigned URL with a body, or a method that has a body, if the signature must cover the body.
  private func checkBody(ofURLRequest request: HTTPRequest) throws(VerificationError) {
    guard !allowsUnsignedPayload else { return }
    let isBodiless = [.get, .head, .delete, .options].contains(request.method)
    let lengths = request.headerFields[values: .contentLength]
    guard isBodiless, lengths.allSatisfy({ $0.isIdentical(to: "0") }),
      !request.headerFields.contains(.transferEncoding)
    else { throw Self.uncoveredBody }
  }

  static let uncoveredBody = VerificationError.s3(
    "InvalidRequest", .unsupported, "The signature must cover the body, which that of a URL does not.",
    remedy: "Sign the hash of the body, or signed chunks, in the headers.")

  /// Rejects missing signed headers, unsigned headers with an effect, and headers that contradict the body's format.
  func checkHeaders(of claim: S3Claim, in request: HTTPRequest) throws(VerificationError) {
    let signedNames = claim.authorization.signedHeaders
    let presentNames = Set(request.headerFields.map(\.name.canonicalName))
    for name in signedNames where name != "host" && !presentNames.contains(name) {
      throw .s3(
        "SignatureDoesNotMatch", .malformed, "The signed header \(name.onOneLine) is not in the request.",
        remedy: "Send every header that is signed.")
    }
    let unsignedNames = presentNames.filter { name in
      name.hasBytePrefix("x-amz-") && name != "x-amz-content-sha256" && !signedNames.containsSorted(name)
    }
    guard unsignedNames.isEmpty else {
      throw .s3(
        "AccessDenied", .unsignedField,
        "There were headers present in the request which were not signed: \(unsignedNames.sorted().joined(separator: ", "))",
        remedy: "Sign every x-amz- header, or leave it out.")
    }
    // The framing is parsed for its errors; the decoder of the body parses it again.
    if claim.payload.isChunked { _ = try S3ChunkFraming(of: request, as: claim.payload) }
  }
}
