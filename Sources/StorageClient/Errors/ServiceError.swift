public import HTTPTypes
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis
internal import StorageXML

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

extension ServiceError {
  /// What a service's code means, the same for every provider.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case accessDenied, alreadyExists, badDigest, callbackFailed, clockSkew, conflict, credentialExpired
      case invalidCredential, invalidRange, invalidRequest, noSuchBucket, noSuchKey, noSuchUpload, notModified
      case preconditionFailed, requestExpired, serverFailure, signatureMismatch, throttled, timeout, unknownAccessKey
      case wrongEndpoint, other
    }

    private let value: Value

    /// The caller may not do this.
    public static let accessDenied = Kind(value: .accessDenied)
    /// There is an object of that key already, and overwriting was forbidden; or a bucket of that name.
    public static let alreadyExists = Kind(value: .alreadyExists)
    /// The bytes do not have the digest that was sent along.
    public static let badDigest = Kind(value: .badDigest)
    /// The object was stored, but the callback after it failed (203 of OSS).
    public static let callbackFailed = Kind(value: .callbackFailed)
    /// The clocks of the caller and the service are too far apart.
    public static let clockSkew = Kind(value: .clockSkew)
    /// The state of the bucket or the object forbids it for now.
    public static let conflict = Kind(value: .conflict)
    /// The temporary credential has ended.
    public static let credentialExpired = Kind(value: .credentialExpired)
    /// The session token is not one, or not this key's.
    public static let invalidCredential = Kind(value: .invalidCredential)
    /// The range lies outside the object.
    public static let invalidRange = Kind(value: .invalidRange)
    /// The request is malformed in the service's eyes.
    public static let invalidRequest = Kind(value: .invalidRequest)
    /// There is no such bucket.
    public static let noSuchBucket = Kind(value: .noSuchBucket)
    /// There is no such object.
    public static let noSuchKey = Kind(value: .noSuchKey)
    /// There is no such multipart upload (any more).
    public static let noSuchUpload = Kind(value: .noSuchUpload)
    /// The object has not changed.
    public static let notModified = Kind(value: .notModified)
    /// A condition of the request does not hold.
    public static let preconditionFailed = Kind(value: .preconditionFailed)
    /// The signature or the URL is past its time.
    public static let requestExpired = Kind(value: .requestExpired)
    /// The service failed.
    public static let serverFailure = Kind(value: .serverFailure)
    /// The signature is not the one that the service calculated.
    public static let signatureMismatch = Kind(value: .signatureMismatch)
    /// Too many requests.
    public static let throttled = Kind(value: .throttled)
    /// The service waited too long for the request.
    public static let timeout = Kind(value: .timeout)
    /// The service knows no such access key; temporary keys without their token look like this too.
    public static let unknownAccessKey = Kind(value: .unknownAccessKey)
    /// The bucket is in another region, or has another endpoint.
    public static let wrongEndpoint = Kind(value: .wrongEndpoint)
    /// Something else; see the code.
    public static let other = Kind(value: .other)

    /// The name of the kind.
    public var description: String { value.rawValue }

    var isRetryable: Bool {
      switch value {
      case .serverFailure, .throttled, .timeout: true
      default: false
      }
    }

    var remedy: String {
      switch value {
      case .accessDenied: "Give the signer the permission that the operation needs, or check the bucket's policy."
      case .alreadyExists: "Choose another name, or allow overwriting."
      case .badDigest: "Send it again; if it stays, something between here and the service changes the bytes."
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
      case .noSuchUpload: "Start the upload anew."
      case .notModified: "Use the copy that is already here."
      case .preconditionFailed: "Read the object's state again."
      case .requestExpired: "Sign it anew; if that does not help, set the clock of this machine."
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
  private static let byCode: [String: ServiceError.Kind] = [
    "AccessDenied": .accessDenied, "AccessForbidden": .accessDenied, "AuthorizationHeaderMalformed": .wrongEndpoint,
    "BadDigest": .badDigest, "BadRequest": .invalidRequest, "BucketAlreadyExists": .alreadyExists,
    "BucketAlreadyOwnedByYou": .alreadyExists,
    "CallbackFailed": .callbackFailed, "ConditionalRequestConflict": .conflict,
    "DownloadTrafficRateLimitExceeded": .throttled, "ExpiredToken": .credentialExpired,
    "FileAlreadyExists": .alreadyExists, "IllegalLocationConstraintException": .wrongEndpoint,
    "IncompleteBody": .badDigest, "InternalError": .serverFailure, "InvalidAccessKeyId": .unknownAccessKey,
    "InvalidArgument": .invalidRequest, "InvalidDigest": .badDigest, "InvalidRange": .invalidRange,
    "InvalidSecurityToken": .invalidCredential, "InvalidToken": .invalidCredential, "KeyNotExist": .noSuchKey,
    "NoSuchBucket": .noSuchBucket, "NoSuchKey": .noSuchKey, "NoSuchUpload": .noSuchUpload,
    "NotModified": .notModified, "OperationAborted": .conflict, "OperationConflict": .conflict,
    "PathConflict": .conflict, "PermanentRedirect": .wrongEndpoint, "PreconditionFailed": .preconditionFailed,
    "PriorRequestNotComplete": .throttled, "QpsLimitExceeded": .throttled, "RequestLimitExceeded": .throttled,
    "RequestTimeTooSkewed": .clockSkew, "RequestTimeout": .timeout, "RequestTimeOut": .timeout,
    "SecurityTokenExpired": .credentialExpired, "ServiceUnavailable": .serverFailure,
    "SignatureDoesNotMatch": .signatureMismatch, "SlowDown": .throttled, "TemporaryRedirect": .wrongEndpoint,
    "ThrottlingException": .throttled, "TooManyRequests": .throttled, "UploadTrafficRateLimitExceeded": .throttled,
    "XAmzContentSHA256Mismatch": .badDigest,
  ]

  /// Reads a kind from what the service said; the status decides where the code is not known.
  init(code: String, message: String, status: HTTPResponse.Status) {
    if code == "AccessDenied", message.hasPrefix("Request has expired") {
      self = .requestExpired
    } else if code == "InvalidArgument", message.hasPrefix("Invalid signing date") {
      self = .clockSkew
    } else {
      self = Self.byCode[code] ?? Self(status: status)
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
  /// The most bytes of an error's body that are read.
  static let bodyLimit = 64 * 1024

  /// What a service says about an error: in the body, or in the header that stands in for it after a HEAD.
  static func document(_ response: HTTPResponse, body: [UInt8], dialect: ServiceDialect) -> XMLNode? {
    errorElement(in: body)
      ?? dialect.errorInHeader.flatMap { response.headerFields[$0] }.flatMap { [UInt8](base64: $0) }
      .flatMap { errorElement(in: $0) }
  }

  /// Reads the error that a service put into an answer whose status says success.
  init?(insideSuccess document: XMLNode, of response: HTTPResponse, subject: String, dialect: ServiceDialect) {
    guard document.name == "Error" else { return nil }
    self.init(document, of: response, subject: subject, dialect: dialect)
  }

  /// Reads an error; where there is no document, the status alone decides.
  init(_ document: XMLNode?, of response: HTTPResponse, subject: String, dialect: ServiceDialect) {
    func text(_ name: String) -> String? {
      document?[name].map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }
    let fields = response.headerFields
    let status = response.status
    self.init(
      code: text("Code") ?? Self.code(for: status), message: text("Message") ?? Self.message(for: status),
      status: status, isExplained: document != nil,
      requestID: text("RequestId") ?? fields[dialect.requestID],
      hostID: text("HostId"),
      detailCode: text("EC") ?? dialect.detailCode.flatMap { fields[$0] },
      subject: subject,
      serverTime: text("ServerTime").flatMap { Timestamp(iso8601: $0) }
        ?? fields[.date].flatMap { Timestamp(httpDate: $0) },
      serverStringToSign: text("StringToSign").map(SecretMask.namedValues.applied),
      serverCanonicalRequest: (text("CanonicalRequest") ?? text("FormatString")).map(SecretMask.namedValues.applied),
      retryAfter: fields[.retryAfter].flatMap { Self.duration($0, from: fields[.date]) })
  }

  /// Reads `Retry-After`: seconds, or a date that is compared with the service's own.
  private static func duration(_ retryAfter: String, from date: String?) -> Duration? {
    if let seconds = Int64(retryAfter) { return .seconds(max(0, seconds)) }
    guard let end = Timestamp(httpDate: retryAfter), let now = date.flatMap({ Timestamp(httpDate: $0) }) else {
      return nil
    }
    return max(.zero, now.duration(to: end))
  }

  private static func errorElement(in body: [UInt8]) -> XMLNode? {
    guard !body.isEmpty, let root = try? XMLNode.parse(body), root.name == "Error" else { return nil }
    return root
  }

  /// Reads an answer that is no success; for providers.
  ///
  /// The service's time, and how long it wants to be left alone, are taken from the head.
  ///
  /// - Parameters:
  ///   - response: The head of the answer.
  ///   - code: The service's code; made from the status if there is none.
  ///   - message: The service's message, without secrets.
  ///   - kind: What it means; found out from the code and the status if not given.
  ///   - requestID: The request id.
  ///   - subject: What the request was about.
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
      retryAfter: fields[.retryAfter].flatMap { Self.duration($0, from: fields[.date]) })
  }

  private static func message(for status: HTTPResponse.Status) -> String {
    "The service answered \(status.code) without saying why."
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
