public import HTTPTypes
public import StorageAuth
public import StorageDiagnosis

/// What a service refused: its own code and message, the request id to quote in a ticket, and what to do about it.
///
/// ```swift
/// do { try await store.download("cat.jpg", to: file) } catch let error as ServiceError where error.kind == .noSuchKey { … }
/// ```
public struct ServiceError: Error, Sendable, Hashable {
  /// What the code means, the same for every provider.
  public internal(set) var kind: Kind

  /// The provider's code, such as `SignatureDoesNotMatch`; made from the status where the service sent none.
  public let code: String

  /// The provider's message.
  public let message: String

  /// Whether the service said why it refused, and not only that.
  public let isExplained: Bool

  /// The status of the answer.
  public let status: HTTPResponse.Status

  /// The request id; quote it when asking the provider.
  public let requestID: String?

  /// The host that the service says it is, where it does (OSS).
  public let hostID: String?

  /// The provider's finer code, where there is one (the EC of OSS).
  public let detailCode: String?

  /// The method and the bucket or key of the request.
  public internal(set) var subject: String

  /// The service's time, where it told; for finding out how far the clock of this machine is off.
  public let serverTime: Timestamp?

  /// The text that the service signed to check the signature, with the session token masked (`StringToSign`).
  public let serverStringToSign: String?

  /// The request as the service read it, with the session token masked (`CanonicalRequest` of OSS, `FormatString` of
  /// COS).
  public let serverCanonicalRequest: String?

  /// Why a signature was refused, found out from the request as it was sent; without secrets and tokens.
  public internal(set) var diagnosis: SignatureDiagnosis?

  /// How long the service wants to be left alone, where it says so.
  public let retryAfter: Duration?

  /// How often the request was sent before this was thrown.
  public internal(set) var attempts = 1

  /// Why no other credential could be had, where the service refused the one that was used.
  public internal(set) var renewalError: CredentialError?

  /// Makes an error; for stores.
  ///
  /// - Parameters:
  ///   - code: The provider's code.
  ///   - message: The provider's message, without secrets.
  ///   - status: The status of the answer.
  ///   - kind: What the code means; found out from the code and the status if `nil`.
  ///   - isExplained: Whether the service said why it refused.
  ///   - requestID: The request id.
  ///   - hostID: The host that the service says it is.
  ///   - detailCode: The provider's finer code.
  ///   - subject: The method and the bucket or key of the request.
  ///   - serverTime: The service's time.
  ///   - serverStringToSign: The text that the service signed, with the session token masked.
  ///   - serverCanonicalRequest: The request as the service read it, with the session token masked.
  ///   - retryAfter: How long the service wants to be left alone.
  public init(
    code: String, message: String, status: HTTPResponse.Status, kind: Kind? = nil, isExplained: Bool = true,
    requestID: String? = nil, hostID: String? = nil,
    detailCode: String? = nil, subject: String, serverTime: Timestamp? = nil, serverStringToSign: String? = nil,
    serverCanonicalRequest: String? = nil, retryAfter: Duration? = nil
  ) {
    self.kind = kind ?? Kind(code: code, message: message, status: status)
    self.code = code
    self.message = message
    self.status = status
    self.isExplained = isExplained
    self.requestID = requestID
    self.hostID = hostID
    self.detailCode = detailCode
    self.subject = subject
    self.serverTime = serverTime
    self.serverStringToSign = serverStringToSign
    self.serverCanonicalRequest = serverCanonicalRequest
    self.retryAfter = retryAfter
  }

  /// What to do about it, in a sentence.
  public var remedy: String {
    kind == .signatureMismatch ? diagnosis?.remedy ?? kind.remedy : kind.remedy
  }

  /// Whether sending the same request again later can help.
  public var isRetryable: Bool { kind.isRetryable }

  /// Whether the object was stored all the same: only the callback after the upload failed.
  public var isStored: Bool { kind == .callbackFailed }
}

extension ServiceError: CustomStringConvertible {
  /// Subject, status, code, message, request id, diagnosis and remedy; then what was tried against it.
  public var description: String {
    let details = [("request id", requestID), ("EC", detailCode)].compactMap { name, value in
      value.map { "\(name) \($0)" }
    }
    let suffix = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
    // The codes of a node are those of HTTP.
    let name = code == "\(status.code)" ? code : "\(status.code) \(code)"
    var text = "\(subject): \(name): \(message)\(suffix)".onOneLine
    if kind == .signatureMismatch, let diagnosis { text += " \(diagnosis.summary)" }
    text += " \(remedy)"
    if attempts > 1 { text += " It was sent \(attempts) times." }
    if let renewalError { text += " No other credential could be had: \(renewalError)" }
    return text
  }
}
