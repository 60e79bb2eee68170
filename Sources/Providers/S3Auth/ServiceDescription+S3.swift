// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

extension ServiceDescription {
  /// Amazon S3.
  ///
  /// Source of the error codes: AWS, "Error Responses",
  /// <https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>. A presigned URL states its expiration in
  /// `X-Amz-Date` and `X-Amz-Expires`.
  public static let s3 = {
    var errorCodes = ServiceErrorCodes(
      refusals: [
        .invalidToken: .init(.badRequest, "InvalidToken"), .keyExpired: .init(.badRequest, "ExpiredToken"),
        .notYetValid: .init(.forbidden, "AccessDenied"), .malformed: .init(.badRequest, "InvalidRequest"),
        .invalidPolicy: .init(.badRequest, "InvalidPolicyDocument"),
        .policyExpired: .init(.forbidden, "AccessDenied"), .conditionFailed: .init(.forbidden, "AccessDenied"),
      ],
      statuses: [
        "SignatureDoesNotMatch": .forbidden, "AccessDenied": .forbidden, "NotImplemented": .notImplemented,
        "MissingContentLength": .lengthRequired, "BadDigest": .badRequest,
      ])
    errorCodes.meanings.merge([
      "AuthorizationHeaderMalformed": .wrongEndpoint, "ConditionalRequestConflict": .conflict,
      "IllegalLocationConstraintException": .wrongEndpoint, "PriorRequestNotComplete": .throttled,
      "RequestLimitExceeded": .throttled, "ThrottlingException": .throttled, "XAmzContentSHA256Mismatch": .badDigest,
    ]) { $1 }
    var service = ServiceDescription(
      name: "s3", headerPrefix: "x-amz-", hosts: .s3, domains: [".amazonaws.com", ".amazonaws.com.cn"],
      authorizationPrefix: "AWS4-HMAC-SHA256 ", signatureParameters: ["X-Amz-Signature"],
      keyByteLimit: ServiceEndpoint.s3KeyByteLimit, errorCodes: errorCodes)
    let (date, lifetime) = (service.header("date"), service.header("expires"))
    service.presignedURLs = PresignedURLRules(
      prefixes: [service.headerPrefix],
      expiration: { PresignedURLRules.expiration(from: $0[date], after: $0[lifetime]) })
    return service
  }()
}
