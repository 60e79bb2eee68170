// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// An error that a service reported, with its code and message, the request ID for support requests, and a remedy.
///
/// ```swift
/// do {
///   try await store.download("cat.jpg", to: file)
/// } catch let error as ServiceError where error.kind == .noSuchKey { … }
/// ```
public struct ServiceError: Error, Sendable, Hashable {
  /// The meaning of the error code, which is the same for every provider.
  public internal(set) var kind: Kind
  /// The provider's error code, such as `SignatureDoesNotMatch`; without a code, it is derived from the status.
  public let code: String
  /// The provider's error message.
  public let message: String
  /// Whether the service gave a reason in addition to the response status.
  public let isExplained: Bool
  /// The HTTP status of the response.
  public let status: HTTPResponse.Status
  /// The ID of the failed request, which the provider's support asks for, or `nil` if the service did not report it.
  public internal(set) var requestID: String?
  /// The host that an OSS service reports for itself, or `nil`.
  public let hostID: String?
  /// The provider's more specific error code (the EC of OSS), or `nil`.
  public let detailCode: String?
  /// The method and the bucket or key of the failed request.
  public internal(set) var subject: String
  /// The time according to the service's clock, from which the client learns its clock skew, or `nil` if unknown.
  public let serverTime: Timestamp?
  /// The service's string to sign (`StringToSign`), with the session token masked, or `nil`.
  public let serverStringToSign: String?
  /// The service's canonical request (`CanonicalRequest`; COS: `FormatString`), with the token masked, or `nil`.
  public let serverCanonicalRequest: String?
  /// The reason why the service rejected the signature, without secrets or tokens, or `nil`.
  public internal(set) var diagnosis: SignatureDiagnosis?
  /// The delay that the service requests before a retry, or `nil` if the service requests no delay.
  public let retryAfter: Duration?
  /// The number of times that the request was sent before this error was thrown.
  public internal(set) var attempts = 1
  /// The error that occurred when the client refreshed a credential that the service had rejected, or `nil`.
  public internal(set) var renewalError: CredentialError?

  /// Creates an error; the parameters are the properties, and a `kind` of `nil` is derived from the other parameters.
  public init(
    code: String, message: String, status: HTTPResponse.Status, kind: Kind? = nil, isExplained: Bool = true,
    requestID: String? = nil, hostID: String? = nil, detailCode: String? = nil, subject: String,
    serverTime: Timestamp? = nil, serverStringToSign: String? = nil, serverCanonicalRequest: String? = nil,
    retryAfter: Duration? = nil
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

  /// A sentence that recommends how to fix the error.
  public var remedy: String { kind == .signatureMismatch ? diagnosis?.remedy ?? kind.remedy : kind.remedy }
  /// Whether a later retry of the same request can succeed.
  public var isRetryable: Bool { kind.isRetryable }
  /// Whether the object was stored although the service reported this error, because only its callback failed.
  public var isStored: Bool { kind == .callbackFailed }
}

extension ServiceError: ActionableError {
  /// The error as text: the subject, status, code, message, request ID, diagnosis, remedy, attempts and refresh error.
  public var description: String {
    let details = [("request id", requestID), ("EC", detailCode)].compactMap { name, value in
      value.map { "\(name) \($0)" }
    }
    let suffix = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
    // A node's codes equal the HTTP status codes.
    let name = code == "\(status.code)" ? code : "\(status.code) \(code)"
    var text = "\(subject): \(name): \(message)\(suffix)".onOneLine
    if kind == .signatureMismatch, let diagnosis { text += " \(diagnosis.summary)" }
    text += " \(remedy)"
    if attempts > 1 { text += " It was sent \(attempts) times." }
    if let renewalError { text += " The credential could not be refreshed: \(renewalError)" }
    return text
  }
}

extension ServiceError {
  /// The meaning of a service's error code, which is the same for every provider.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    private let meaning: ServiceErrorCodes.Meaning

    /// The caller lacks the permission for the operation.
    public static let accessDenied = Kind(meaning: .accessDenied)
    /// An object with the key exists and overwriting is forbidden, or a bucket with the name exists.
    public static let alreadyExists = Kind(meaning: .alreadyExists)
    /// The bytes that the service received do not match the digest that the client sent.
    public static let badDigest = Kind(meaning: .badDigest)
    /// The object was stored, but the service's callback after the upload failed (OSS status 203).
    public static let callbackFailed = Kind(meaning: .callbackFailed)
    /// The difference between the client's clock and the service's clock is too large.
    public static let clockSkew = Kind(meaning: .clockSkew)
    /// The current state of the bucket or the object does not permit the operation.
    public static let conflict = Kind(meaning: .conflict)
    /// The temporary credential has expired.
    public static let credentialExpired = Kind(meaning: .credentialExpired)
    /// The session token is invalid, or belongs to another access key.
    public static let invalidCredential = Kind(meaning: .invalidCredential)
    /// The requested byte range lies outside the object.
    public static let invalidRange = Kind(meaning: .invalidRange)
    /// The request is malformed according to the service.
    public static let invalidRequest = Kind(meaning: .invalidRequest)
    /// The bucket does not exist.
    public static let noSuchBucket = Kind(meaning: .noSuchBucket)
    /// The object does not exist.
    public static let noSuchKey = Kind(meaning: .noSuchKey)
    /// The multipart upload does not exist, or no longer exists.
    public static let noSuchUpload = Kind(meaning: .noSuchUpload)
    /// The object has not changed since the version or time that a conditional request specified.
    public static let notModified = Kind(meaning: .notModified)
    /// A condition of the request is not fulfilled.
    public static let preconditionFailed = Kind(meaning: .preconditionFailed)
    /// The signature or the presigned URL has expired.
    public static let requestExpired = Kind(meaning: .requestExpired)
    /// The service failed internally.
    public static let serverFailure = Kind(meaning: .serverFailure)
    /// The signature of the request differs from the signature that the service calculated.
    public static let signatureMismatch = Kind(meaning: .signatureMismatch)
    /// The client sends too many requests.
    public static let throttled = Kind(meaning: .throttled)
    /// The service did not receive the complete request within its time limit.
    public static let timeout = Kind(meaning: .timeout)
    /// The service does not know the access key, or a temporary key was sent without its session token.
    public static let unknownAccessKey = Kind(meaning: .unknownAccessKey)
    /// The bucket is in another region, or has another endpoint.
    public static let wrongEndpoint = Kind(meaning: .wrongEndpoint)
    /// The error code has a meaning that no other kind describes.
    public static let other = Kind(meaning: .other)

    /// The name of the kind, such as `noSuchKey`.
    public var description: String { meaning.rawValue }

    var isRetryable: Bool {
      switch meaning {
      case .serverFailure, .throttled, .timeout: true
      default: false
      }
    }

    var remedy: String {
      switch meaning {
      case .accessDenied: "Give the signer the permission that the operation needs, or check the bucket's policy."
      case .alreadyExists: "Choose another name, or allow overwriting."
      case .badDigest: "Send the request again; if the error persists, check the proxies on the way to the service."
      case .callbackFailed: "The object is stored; check the callback server."
      case .clockSkew: "Set the clock of this machine."
      case .conflict: "Try again when the other operation has ended."
      case .credentialExpired: "Get a new temporary credential."
      case .invalidCredential:
        "Use a credential that the service knows; a temporary key needs the token that was issued with it."
      case .invalidRange: "Ask for a range that starts inside the object."
      case .invalidRequest: "Change the request as the message says."
      case .noSuchBucket: "Check the bucket's name and region."
      case .noSuchKey: "Check the key; keys are case-sensitive."
      case .noSuchUpload: "Start a new upload."
      case .notModified: "Use the copy that is already here."
      case .preconditionFailed: "Read the object's state again."
      case .requestExpired: "Sign the request again; if that does not help, set the clock of this machine."
      case .serverFailure: "Try again later."
      case .signatureMismatch: "Check the secret; then compare the service's string to sign with the client's."
      case .throttled: "Try again later, with fewer requests at a time."
      case .timeout: "Try again; the connection may be slow."
      case .unknownAccessKey: "Check the access key id and its provider; a temporary key needs its session token."
      case .wrongEndpoint: "Name the region and the endpoint of the bucket."
      case .other: "Look the code up in the provider's documentation."
      }
    }
  }
}

extension ServiceError.Kind {
  init(code: String, message: String, status: HTTPResponse.Status) {
    let knownCodes = ServiceDescription.known.map(\.errorCodes)
    let messageRules = knownCodes.flatMap(\.messageMeanings)
    if let rule = messageRules.first(where: { $0.code == code && message.hasPrefix($0.beginning) }) {
      self.init(meaning: rule.meaning)
    } else if let meaning = knownCodes.lazy.compactMap({ $0.meanings[code] }).first {
      self.init(meaning: meaning)
    } else {
      self.init(status: status)
    }
  }

  private init(status: HTTPResponse.Status) {
    switch status.code {
    case 203: self = .callbackFailed
    case 304: self = .notModified
    case 300...399: self = .wrongEndpoint
    case 401, 403: self = .accessDenied
    case 404: self = .noSuchKey
    case 408: self = .timeout
    case 409: self = .conflict
    case 412: self = .preconditionFailed
    case 416: self = .invalidRange
    case 429: self = .throttled
    case 501: self = .invalidRequest
    case 500...599: self = .serverFailure
    case 400...499: self = .invalidRequest
    default: self = .other
    }
  }
}

extension ServiceError {
  package static let bodyLimit = 64 * 1024

  /// Creates an error from the document in the body or in the header that replaces the body, or else from the status.
  init(_ response: HTTPResponse, body: [UInt8], subject: String, conventions: HeaderConventions) {
    let replacement = conventions.errorInHeader.flatMap { response.headerFields[$0] }.flatMap { [UInt8](base64: $0) }
    let format = conventions.format
    self =
      format.error(in: body, of: response, subject: subject)
      ?? replacement.flatMap { format.error(in: $0, of: response, subject: subject) }
      ?? ServiceError(nil, of: response, subject: subject, conventions: conventions)
    if requestID == nil { requestID = response.headerFields[conventions.requestID] }
  }

  /// Creates an error from an XML error document, or only from the response status if the document is `nil`.
  init(_ document: XMLNode?, of response: HTTPResponse, subject: String, conventions: HeaderConventions) {
    func text(_ name: String) -> String? { document?[name].map(\.text).flatMap { $0.isEmpty ? nil : $0 } }
    let fields = response.headerFields
    let status = response.status
    self.init(
      code: text("Code") ?? Self.code(for: status), message: text("Message") ?? Self.message(for: status),
      status: status, isExplained: document != nil, requestID: text("RequestId") ?? fields[conventions.requestID],
      hostID: text("HostId"), detailCode: text("EC") ?? conventions.detailCode.flatMap { fields[$0] }, subject: subject,
      serverTime: text("ServerTime").flatMap { Timestamp(iso8601: $0) }
        ?? fields[.date].flatMap { Timestamp(httpDate: $0) },
      serverStringToSign: text("StringToSign").map(SecretMask.namedValues.applied),
      serverCanonicalRequest: (text("CanonicalRequest") ?? text("FormatString")).map(SecretMask.namedValues.applied),
      retryAfter: fields[.retryAfter].flatMap { Self.retryDelay($0, from: fields[.date]) })
  }

  /// Parses a `Retry-After` value: a number of seconds, or a date that is compared with the service's `Date`.
  private static func retryDelay(_ retryAfter: String, from date: String?) -> Duration? {
    if let seconds = Int64(digits: retryAfter) { return .seconds(seconds) }
    guard let date, let now = Timestamp(httpDate: date), let end = Timestamp(httpDate: retryAfter) else { return nil }
    return max(.zero, now.duration(to: end))
  }

  /// Creates an error from an unsuccessful response for an implementation of ``StorageProvider``.
  ///
  /// The service's time and the requested retry delay are read from the headers of the response.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - code: The service's error code. If `nil`, the code is derived from the status.
  ///   - message: The service's error message, without secrets. If `nil`, a message that contains the status.
  ///   - kind: The meaning of the code. If `nil`, the meaning is derived from the code, the message and the status.
  ///   - requestID: The ID of the failed request.
  ///   - subject: The action and the location of the failed request.
  public init(
    _ response: HTTPResponse, code: String?, message: String?, kind: Kind? = nil, requestID: String? = nil,
    subject: String
  ) {
    let status = response.status
    let fields = response.headerFields
    self.init(
      code: code ?? Self.code(for: status), message: message ?? Self.message(for: status), status: status, kind: kind,
      isExplained: code != nil || message != nil, requestID: requestID, subject: subject,
      serverTime: fields[.date].flatMap { Timestamp(httpDate: $0) },
      retryAfter: fields[.retryAfter].flatMap { Self.retryDelay($0, from: fields[.date]) })
  }

  private static func message(for status: HTTPResponse.Status) -> String {
    "The service responded with status \(status.code) and gave no reason."
  }

  private static func code(for status: HTTPResponse.Status) -> String {
    switch status.code {
    case 203: "CallbackFailed"
    case 304: "NotModified"
    case 403: "AccessDenied"
    case 404: "NotFound"
    case 412: "PreconditionFailed"
    case 416: "InvalidRange"
    default: "HTTP\(status.code)"
    }
  }
}
