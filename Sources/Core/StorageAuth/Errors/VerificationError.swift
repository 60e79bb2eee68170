// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The error for a request whose signature is not accepted.
///
/// The error describes the problem and the remedy, and contains no secret; tokens in ``comparison`` are masked.
public struct VerificationError: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>
  /// The access key ID of the rejected request, or `nil` if the ID could not be read.
  public var accessKeyID: AccessKeyID?
  /// The values that the verifier computed for a signature that does not match, or `nil` for any other error.
  public var comparison: Comparison?
  /// The time at which the authorization expired or becomes valid, or at which the request was signed, or `nil` if the
  /// request was rejected for a reason other than time.
  public var instant: Timestamp?
  /// The form policy condition that the form does not satisfy, or `nil` for any other error.
  public var condition: FormCondition?
  /// The storage service's own error code if it is more specific than ``code``, otherwise `nil`.
  public var serviceCode: String?
  /// The part of the signature's scope that does not match, or `nil` if the error has another cause.
  public var scopePart: ScopePart?

  /// Creates an error from its code, its message and its remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// The values that a verifier computed for a signature that does not match, with masked tokens and limited lengths.
  public struct Comparison: Sendable, Hashable {
    /// The signature that the request contains.
    public let signatureProvided: String
    /// The string to sign that the verifier computed, with session tokens masked.
    public let stringToSign: String
    /// The canonical request that the verifier computed, with session tokens masked, or `nil` if the scheme has none.
    public let canonicalRequest: String?

    /// The limit for the strings in bytes, which prevents a rejection from echoing arbitrary input.
    package static let textByteLimit = 8 * 1024
    /// The maximum number of bytes retained of a request's signature; the services' signatures are far shorter.
    package static let signatureByteLimit = 256

    /// Creates a comparison, for verifiers; the parameters, which must not contain secrets, are the properties.
    ///
    /// Strings longer than 8,192 bytes and a signature longer than 256 bytes are truncated, with a note.
    public init(signatureProvided: String, stringToSign: String, canonicalRequest: String?) {
      self.signatureProvided = signatureProvided.shortened(to: Self.signatureByteLimit)
      self.stringToSign = stringToSign.shortened(to: Self.textByteLimit)
      self.canonicalRequest = canonicalRequest?.shortened(to: Self.textByteLimit)
    }
  }

  /// A part of the scope (day, region, product) that a signature is bound to.
  public enum ScopePart: Sendable, Hashable, CaseIterable {
    /// The day on which the request was signed.
    case day
    /// The region that the request was signed for.
    case region
    /// The product (service) that the request was signed for.
    case product
  }

  /// A code that identifies why a request's signature is not accepted.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The request contains no signature.
    public static let unsigned = Code(name: "unsigned")
    /// The request contains no date, or a date that cannot be parsed.
    public static let missingDate = Code(name: "missingDate")
    /// The authorization parameters or other parts of the request cannot be parsed.
    public static let malformed = Code(name: "malformed")
    /// The request contains two authorizations, or a signed part of the request occurs twice.
    public static let ambiguous = Code(name: "ambiguous")
    /// The signature algorithm is not supported.
    public static let unsupported = Code(name: "unsupported")
    /// A part of the request is larger, or occurs more often, than the verifier accepts.
    public static let limitExceeded = Code(name: "limitExceeded")
    /// The access key ID in the request does not exist.
    public static let unknownKey = Code(name: "unknownKey")
    /// The access key is temporary, but the request contains no session token.
    public static let missingToken = Code(name: "missingToken")
    /// The session token does not belong to the access key, or the access key has no session token.
    public static let invalidToken = Code(name: "invalidToken")
    /// The signature is for another day, region or service than the verifier expects.
    public static let wrongScope = Code(name: "wrongScope")
    /// A part of the request that affects its meaning is not signed.
    public static let unsignedField = Code(name: "unsignedField")
    /// The request's authorization is not valid yet.
    public static let notYetValid = Code(name: "notYetValid")
    /// The request's authorization has expired.
    public static let expired = Code(name: "expired")
    /// The temporary access key has expired.
    public static let keyExpired = Code(name: "keyExpired")
    /// The signing time differs too much from the verifier's clock.
    public static let clockSkew = Code(name: "clockSkew")
    /// The request's authorization is valid for longer than the verifier accepts.
    public static let lifetimeOutOfRange = Code(name: "lifetimeOutOfRange")
    /// The signature in the request does not match the signature that the verifier computed.
    public static let mismatch = Code(name: "mismatch")
    /// The policy of a submitted form cannot be parsed, or lacks a required condition.
    public static let invalidPolicy = Code(name: "invalidPolicy")
    /// The policy of a submitted form has expired.
    public static let policyExpired = Code(name: "policyExpired")
    /// A submitted form does not satisfy a condition of its policy.
    public static let conditionFailed = Code(name: "conditionFailed")

    /// The name of the error code, such as `mismatch`.
    public var description: String { name }
  }

  package func with(serviceCode: String) -> VerificationError {
    var copy = self
    copy.serviceCode = serviceCode
    return copy
  }

  /// Returns a copy of the error with the given ``accessKeyID`` and ``instant``; `nil` leaves a value unchanged.
  public func with(accessKeyID: AccessKeyID? = nil, instant: Timestamp? = nil) -> VerificationError {
    var copy = self
    copy.accessKeyID = accessKeyID ?? self.accessKeyID
    copy.instant = instant ?? self.instant
    return copy
  }

  /// Creates the error for a request that cannot be canonicalized, from the error of the canonicalization.
  public init(_ error: SigningError) {
    let isRepeated = error == .repeatedParameter || error.code == .invalidHeader
    self.init(isRepeated ? .ambiguous : .malformed, error.message, remedy: error.remedy)
  }

  /// Creates the error for a request whose authorization cannot be parsed, with a message that contains no secrets.
  public static func malformed(_ message: String) -> VerificationError {
    VerificationError(.malformed, message, remedy: "Sign the request with a current SDK.")
  }

  package static let claimOfAnotherVerifier = malformed("The claim was parsed by a verifier with other settings.")

  package static func wrongScope(_ part: ScopePart, _ message: String, remedy: String) -> VerificationError {
    var error = VerificationError(.wrongScope, message, remedy: remedy)
    error.scopePart = part
    return error
  }

  /// Creates the error for a request with a repeated part or authorization, with a message that contains no secrets.
  public static func ambiguous(_ message: String) -> VerificationError {
    VerificationError(.ambiguous, message, remedy: "Send it once, in one place.")
  }

  package static func unknownKey(_ id: AccessKeyID) -> VerificationError {
    VerificationError(
      .unknownKey, "There is no access key with the id of the request.",
      remedy: "Check the access key id, and that the key is not disabled."
    ).with(accessKeyID: id)
  }
}
