/// Why a request was not accepted as signed: what is wrong and what to do about it.
///
/// No secret and no token is in it: session tokens in ``comparison`` are masked.
public struct VerificationError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// What is wrong and where, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// The id that the request was signed with, where it could be read.
  public var accessKeyID: AccessKeyID?

  /// What the verifier signed, for a signature that does not match.
  public var comparison: Comparison?

  /// When the authorization ended or begins, or the request was signed, for a problem of time.
  public var instant: Timestamp?

  /// The condition that a form does not meet.
  public var condition: FormCondition?

  /// The service's own code for the refusal, where it tells more cases apart than ``code``; else `nil`.
  public var serviceCode: String?

  /// Makes an error; for verifiers.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: What is wrong and where, in a sentence without secrets.
  ///   - remedy: What to do about it, in a sentence.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// What the verifier computed, with session tokens masked and long texts cut.
  public struct Comparison: Sendable, Hashable {
    /// The signature that the request carried.
    public let signatureProvided: String

    /// The string to sign.
    public let stringToSign: String

    /// The text whose hash is part of the string to sign, for schemes that have one.
    public let canonicalRequest: String?

    /// The most bytes of a text that are kept, so that a refusal does not echo whatever was sent.
    package static let textByteLimit = 8 * 1024

    /// The most bytes of a signature that are kept; those of the services are far shorter.
    package static let signatureByteLimit = 256

    /// Puts a comparison together; for verifiers.
    ///
    /// Texts longer than ``textByteLimit`` and a signature longer than ``signatureByteLimit`` are cut, and say so.
    ///
    /// - Parameters:
    ///   - signatureProvided: The signature that the request carried.
    ///   - stringToSign: The string to sign, without secrets.
    ///   - canonicalRequest: The text whose hash is part of the string to sign, without secrets.
    public init(signatureProvided: String, stringToSign: String, canonicalRequest: String?) {
      self.signatureProvided = signatureProvided.shortened(to: Self.signatureByteLimit)
      self.stringToSign = stringToSign.shortened(to: Self.textByteLimit)
      self.canonicalRequest = canonicalRequest?.shortened(to: Self.textByteLimit)
    }
  }

  /// What is wrong about the scope, for a signature of another one.
  public var scopePart: ScopePart?

  /// A part of the scope that a signature is bound to.
  public enum ScopePart: Sendable, Hashable, CaseIterable {
    /// The day.
    case day
    /// The region.
    case region
    /// The product.
    case product
  }

  /// A kind of problem.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case unsigned, missingDate, malformed, ambiguous, unsupported, limitExceeded, unknownKey, missingToken,
        invalidToken
      case wrongScope, unsignedField, notYetValid, expired, keyExpired, clockSkew, lifetimeOutOfRange, mismatch
      case invalidPolicy, policyExpired, conditionFailed
    }

    private let value: Value

    /// There is no authorization.
    public static let unsigned = Code(value: .unsigned)
    /// The request has no date, or none that can be read.
    public static let missingDate = Code(value: .missingDate)
    /// The authorization, or the request, cannot be read.
    public static let malformed = Code(value: .malformed)
    /// There are two authorizations, or something signed is there twice.
    public static let ambiguous = Code(value: .ambiguous)
    /// The algorithm is not one that is known.
    public static let unsupported = Code(value: .unsupported)
    /// The request has more of something than is looked at.
    public static let limitExceeded = Code(value: .limitExceeded)
    /// There is no such key.
    public static let unknownKey = Code(value: .unknownKey)
    /// The key is temporary and the request has no session token.
    public static let missingToken = Code(value: .missingToken)
    /// The session token is not the key's, or the key has none.
    public static let invalidToken = Code(value: .invalidToken)
    /// The signature is for another date, region or service.
    public static let wrongScope = Code(value: .wrongScope)
    /// Something that has an effect is not signed.
    public static let unsignedField = Code(value: .unsignedField)
    /// The authorization is not valid yet.
    public static let notYetValid = Code(value: .notYetValid)
    /// The authorization has ended.
    public static let expired = Code(value: .expired)
    /// The temporary key has ended.
    public static let keyExpired = Code(value: .keyExpired)
    /// The time of signing is too far from the present.
    public static let clockSkew = Code(value: .clockSkew)
    /// The authorization lasts for longer than the verifier accepts.
    public static let lifetimeOutOfRange = Code(value: .lifetimeOutOfRange)
    /// The signature is wrong.
    public static let mismatch = Code(value: .mismatch)
    /// The policy of a form cannot be read, or does not bind what it has to.
    public static let invalidPolicy = Code(value: .invalidPolicy)
    /// The policy of a form has ended.
    public static let policyExpired = Code(value: .policyExpired)
    /// A form does not meet a condition of its policy.
    public static let conditionFailed = Code(value: .conditionFailed)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension VerificationError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}

extension VerificationError {
  /// A copy with the service's own code for the refusal.
  package func with(serviceCode: String) -> VerificationError {
    var copy = self
    copy.serviceCode = serviceCode
    return copy
  }

  /// Returns a copy that names the id of the request and an instant, where they are given.
  ///
  /// - Parameters:
  ///   - accessKeyID: The id that the request was signed with.
  ///   - instant: When the authorization ended or begins, or the request was signed.
  public func with(accessKeyID: AccessKeyID? = nil, instant: Timestamp? = nil) -> VerificationError {
    var copy = self
    copy.accessKeyID = accessKeyID ?? self.accessKeyID
    copy.instant = instant ?? self.instant
    return copy
  }

  /// Creates the error for a request that cannot be canonicalised, from that of the signer's canonicalisation.
  ///
  /// - Parameter error: Why the request cannot be signed either.
  public init(_ error: SigningError) {
    let isRepeated = error == .repeatedParameter || error.code == .invalidHeader
    self.init(isRepeated ? .ambiguous : .malformed, error.message, remedy: error.remedy)
  }

  /// The error for an authorization that cannot be read.
  ///
  /// - Parameter message: What is wrong and where, in a sentence without secrets.
  public static func malformed(_ message: String) -> VerificationError {
    VerificationError(.malformed, message, remedy: "Sign the request with a current SDK.")
  }

  /// The error for a signature of another scope.
  package static func wrongScope(_ part: ScopePart, _ message: String, remedy: String) -> VerificationError {
    var error = VerificationError(.wrongScope, message, remedy: remedy)
    error.scopePart = part
    return error
  }

  /// The error for two authorizations, or something that is signed and there twice.
  ///
  /// - Parameter message: What is wrong and where, in a sentence without secrets.
  public static func ambiguous(_ message: String) -> VerificationError {
    VerificationError(.ambiguous, message, remedy: "Send it once, in one place.")
  }

  /// The error for an id that nobody knows.
  package static func unknownKey(_ id: AccessKeyID) -> VerificationError {
    var error = VerificationError(
      .unknownKey, "There is no access key with the id of the request.",
      remedy: "Check the access key id, and that the key is not disabled.")
    error.accessKeyID = id
    return error
  }
}
