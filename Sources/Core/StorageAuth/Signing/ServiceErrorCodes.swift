// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The status codes and error codes with which a storage service refuses a request, and their meanings.
///
/// A verifier returns the codes of its service (``SignatureVerifier/errorCodes``), so that a middleware responds as
/// the service does and the service's SDKs understand the response.
public struct ServiceErrorCodes: Sendable {
  /// The HTTP status and the error code of a response that refuses a request.
  public struct Refusal: Sendable, Hashable {
    /// The HTTP status of the response.
    public let status: HTTPResponse.Status
    /// The error code in the response, such as `SignatureDoesNotMatch`.
    public let code: String

    /// Creates a refusal from an HTTP status and an error code; the parameters are the properties.
    public init(_ status: HTTPResponse.Status, _ code: String) {
      self.status = status
      self.code = code
    }
  }

  /// The XML element of a service's error document that identifies the requested resource.
  public enum Subject: Sendable, Hashable {
    /// An element with the given name that contains the host.
    case host(String)
    /// An element with the given name that contains the host and the path.
    case resource(String)
  }

  /// The meaning of an error code, which is the same for every service.
  package enum Meaning: String, Sendable {
    case accessDenied, alreadyExists, badDigest, callbackFailed, clockSkew, conflict, credentialExpired
    case invalidCredential, invalidRange, invalidRequest, noSuchBucket, noSuchKey, noSuchUpload, notModified
    case preconditionFailed, requestExpired, serverFailure, signatureMismatch, throttled, timeout, unknownAccessKey
    case wrongEndpoint, other
  }

  /// The meanings of the service's error codes.
  package var meanings = Self.commonMeanings
  /// The meanings of error codes with a message that begins with the given text.
  package var messageMeanings: [(code: String, beginning: String, meaning: Meaning)] = [
    ("AccessDenied", "Request has expired", .requestExpired)
  ]

  /// The service's refusals for verification error codes; a code without an entry results in a Bad Request response.
  public var refusals: [VerificationError.Code: Refusal]
  /// The statuses for the service's own codes (``VerificationError/serviceCode``), if they differ from ``refusals``.
  public var statuses: [String: HTTPResponse.Status]
  /// The name of the XML element of the service's error document that contains the canonical request.
  public var canonicalRequestElement: String
  /// The XML element of the service's error document that identifies the requested resource.
  public var subject: Subject
  /// The header with the error document in Base64 in a response to a HEAD request, or `nil` if there is none.
  public var headHeader: HTTPField.Name?

  /// Creates a service's error codes; the parameters are the properties, and `refusals` replace those of ``common``.
  public init(
    canonicalRequestElement: String = "CanonicalRequest", subject: Subject = .resource("Resource"),
    headHeader: HTTPField.Name? = nil, refusals: [VerificationError.Code: Refusal] = [:],
    statuses: [String: HTTPResponse.Status] = [:]
  ) {
    self.statuses = statuses
    self.refusals = Self.common.merging(refusals) { _, serviceRefusal in serviceRefusal }
    self.canonicalRequestElement = canonicalRequestElement
    self.subject = subject
    self.headHeader = headHeader
  }

  /// Returns the service's refusal for a verification error code.
  public subscript(code: VerificationError.Code) -> Refusal {
    refusals[code] ?? Refusal(.badRequest, "InvalidArgument")
  }

  /// Returns the service's refusal for an error, with the service's own error code if the verifier set it.
  public subscript(error: VerificationError) -> Refusal {
    let refusal = self[error.code]
    guard let code = error.serviceCode else { return refusal }
    return Refusal(statuses[code] ?? refusal.status, code)
  }

  /// The refusals that the storage services have in common.
  public static let common: [VerificationError.Code: Refusal] = [
    .unsigned: Refusal(.forbidden, "AccessDenied"), .missingDate: Refusal(.forbidden, "AccessDenied"),
    .expired: Refusal(.forbidden, "AccessDenied"), .lifetimeOutOfRange: Refusal(.forbidden, "AccessDenied"),
    .unsignedField: Refusal(.forbidden, "AccessDenied"), .unknownKey: Refusal(.forbidden, "InvalidAccessKeyId"),
    .missingToken: Refusal(.forbidden, "InvalidAccessKeyId"), .invalidToken: Refusal(.forbidden, "InvalidToken"),
    .keyExpired: Refusal(.forbidden, "ExpiredToken"), .notYetValid: Refusal(.forbidden, "RequestTimeTooSkewed"),
    .clockSkew: Refusal(.forbidden, "RequestTimeTooSkewed"), .mismatch: Refusal(.forbidden, "SignatureDoesNotMatch"),
  ]

  /// The meanings of the error codes that several services have.
  private static let commonMeanings: [String: Meaning] = [
    "AccessDenied": .accessDenied, "AccessForbidden": .accessDenied, "BadDigest": .badDigest,
    "BucketAlreadyExists": .alreadyExists, "BucketAlreadyOwnedByYou": .alreadyExists,
    "ExpiredToken": .credentialExpired, "FileAlreadyExists": .alreadyExists, "IncompleteBody": .badDigest,
    "InternalError": .serverFailure, "InvalidAccessKeyId": .unknownAccessKey, "InvalidArgument": .invalidRequest,
    "InvalidDigest": .badDigest, "InvalidRange": .invalidRange, "InvalidToken": .invalidCredential,
    "KeyNotExist": .noSuchKey, "NoSuchBucket": .noSuchBucket, "NoSuchKey": .noSuchKey, "NoSuchUpload": .noSuchUpload,
    "NotModified": .notModified, "OperationAborted": .conflict, "OperationConflict": .conflict,
    "PathConflict": .conflict, "PermanentRedirect": .wrongEndpoint, "PreconditionFailed": .preconditionFailed,
    "RequestTimeTooSkewed": .clockSkew, "RequestTimeout": .timeout, "ServiceUnavailable": .serverFailure,
    "SignatureDoesNotMatch": .signatureMismatch, "SlowDown": .throttled, "TemporaryRedirect": .wrongEndpoint,
    "TooManyRequests": .throttled,
  ]
}
