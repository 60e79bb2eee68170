public import HTTPTypes

/// The words in which a service refuses a request whose signature it does not accept.
///
/// A verifier supplies its service's (``SignatureVerifier/refusals``), so that a middleware answers as the service would
/// and its SDKs understand the answer.
public struct RefusalVocabulary: Sendable {
  /// The status and the code of a refusal.
  public struct Refusal: Sendable, Hashable {
    /// The status of the answer.
    public let status: HTTPResponse.Status

    /// The code in the answer: `SignatureDoesNotMatch`.
    public let code: String

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - code: The code in the answer.
    public init(_ status: HTTPResponse.Status, _ code: String) {
      self.status = status
      self.code = code
    }
  }

  /// The element that says what was asked.
  public enum Subject: Sendable, Hashable {
    /// The host, in an element of this name.
    case host(String)
    /// The host and the path, in an element of this name.
    case resource(String)
  }

  /// The refusals by the problem; a problem without one is a bad request.
  public var refusals: [VerificationError.Code: Refusal]

  /// The statuses of the service's own codes (``VerificationError/serviceCode``) that differ from that of the problem.
  public var statuses: [String: HTTPResponse.Status]

  /// The name of the element with the canonical request, beside `StringToSign`.
  public var canonicalRequestElement: String

  /// The element that says what was asked.
  public var subject: Subject

  /// The header in which a HEAD request is answered with the document in Base64, or `nil` if the service has none.
  public var headHeader: HTTPField.Name?

  /// Creates a vocabulary.
  ///
  /// - Parameters:
  ///   - canonicalRequestElement: The name of the element with the canonical request.
  ///   - subject: The element that says what was asked.
  ///   - headHeader: The header in which a HEAD request is answered, or `nil` if the service has none.
  ///   - refusals: The refusals in which the service differs from ``common``.
  ///   - statuses: The statuses of the service's own codes that differ from that of the problem.
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

  /// Returns the refusal for a problem.
  public subscript(code: VerificationError.Code) -> Refusal {
    refusals[code] ?? Refusal(.badRequest, "InvalidArgument")
  }

  /// Returns the refusal for an error: with the service's own code, if the verifier gave one.
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
