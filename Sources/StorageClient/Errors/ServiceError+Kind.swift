internal import HTTPTypes

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
