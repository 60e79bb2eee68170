// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The status codes and error codes with which a service refuses a request whose signature it does not accept.
///
/// A verifier returns those of its service (``SignatureVerifier/refusals``), so that a middleware responds as the
/// service does and the service's SDKs understand the response.
public struct RefusalVocabulary: Sendable {
  /// The status and the error code of a refusal.
  public struct Refusal: Sendable, Hashable {
    /// The status of the response.
    public let status: HTTPResponse.Status

    /// The error code in the response: `SignatureDoesNotMatch`.
    public let code: String

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - code: The error code in the response.
    public init(_ status: HTTPResponse.Status, _ code: String) {
      self.status = status
      self.code = code
    }
  }

  /// The element of the error document that identifies the requested resource.
  public enum Subject: Sendable, Hashable {
    /// The host, in an element with this name.
    case host(String)
    /// The host and the path, in an element with this name.
    case resource(String)
  }

  /// The refusals by the code of the verification error; a code without an entry becomes a bad request.
  public var refusals: [VerificationError.Code: Refusal]

  /// The statuses of the service's own codes (``VerificationError/serviceCode``) that differ from the status in
  /// ``refusals``.
  public var statuses: [String: HTTPResponse.Status]

  /// The name of the element with the canonical request, next to `StringToSign`.
  public var canonicalRequestElement: String

  /// The element that identifies the requested resource.
  public var subject: Subject

  /// The header that contains the error document in Base64 in the response to a HEAD request, or `nil` if the service
  /// has none.
  public var headHeader: HTTPField.Name?

  /// Creates a vocabulary.
  ///
  /// - Parameters:
  ///   - canonicalRequestElement: The name of the element with the canonical request.
  ///   - subject: The element that identifies the requested resource.
  ///   - headHeader: The header that contains the error document in the response to a HEAD request, or `nil` if the
  ///     service has none.
  ///   - refusals: The refusals that differ from ``common``.
  ///   - statuses: The statuses of the service's own codes that differ from the status in `refusals`.
  public init(
    canonicalRequestElement: String = "CanonicalRequest", subject: Subject = .resource("Resource"),
    headHeader: HTTPField.Name? = nil, refusals: [VerificationError.Code: Refusal] = [:],
    statuses: [String: HTTPResponse.Status] = [:]
  ) {
    self.statuses = statuses
    self.refusals = Self.common.merging(refusals) { $1 }
    self.canonicalRequestElement = canonicalRequestElement
    self.subject = subject
    self.headHeader = headHeader
  }

  /// Returns the refusal for the code of a verification error.
  public subscript(code: VerificationError.Code) -> Refusal {
    refusals[code] ?? Refusal(.badRequest, "InvalidArgument")
  }

  /// Returns the refusal for a verification error, with the service's own code if the verifier set one.
  public subscript(error: VerificationError) -> Refusal {
    let refusal = self[error.code]
    guard let code = error.serviceCode else { return refusal }
    return Refusal(statuses[code] ?? refusal.status, code)
  }

  /// The refusals that the services share.
  public static let common: [VerificationError.Code: Refusal] = [
    .unsigned: Refusal(.forbidden, "AccessDenied"), .missingDate: Refusal(.forbidden, "AccessDenied"),
    .expired: Refusal(.forbidden, "AccessDenied"), .lifetimeOutOfRange: Refusal(.forbidden, "AccessDenied"),
    .unsignedField: Refusal(.forbidden, "AccessDenied"), .unknownKey: Refusal(.forbidden, "InvalidAccessKeyId"),
    .missingToken: Refusal(.forbidden, "InvalidAccessKeyId"), .invalidToken: Refusal(.forbidden, "InvalidToken"),
    .keyExpired: Refusal(.forbidden, "ExpiredToken"), .notYetValid: Refusal(.forbidden, "RequestTimeTooSkewed"),
    .clockSkew: Refusal(.forbidden, "RequestTimeTooSkewed"), .mismatch: Refusal(.forbidden, "SignatureDoesNotMatch"),
  ]
}
