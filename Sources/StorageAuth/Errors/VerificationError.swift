// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error of a request whose signature is not accepted: the problem and the remedy.
///
/// It contains no secret and no token: session tokens in ``comparison`` are masked.
public struct VerificationError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// The problem and its location, in one sentence.
  public let message: String

  /// The remedy, in one sentence.
  public let remedy: String

  /// The access key id of the request, or `nil` if it could not be read.
  public var accessKeyID: AccessKeyID?

  /// The verifier's computed values, for a signature that does not match; else `nil`.
  public var comparison: Comparison?

  /// The time that caused the rejection, or `nil` if another problem did.
  ///
  /// It is the time at which the authorization expired or becomes valid, or at which the request was signed.
  public var instant: Timestamp?

  /// The condition that a form does not satisfy, or `nil`.
  public var condition: FormCondition?

  /// The service's own error code, where it distinguishes more cases than ``code``; else `nil`.
  public var serviceCode: String?

  /// Creates an error; for verifiers.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: The problem and its location, in one sentence without secrets.
  ///   - remedy: The remedy, in one sentence.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The values that the verifier computed, with session tokens masked and long strings truncated.
  public struct Comparison: Sendable, Hashable {
    /// The signature in the request.
    public let signatureProvided: String

    /// The string to sign.
    public let stringToSign: String

    /// The canonical request, whose hash is part of the string to sign, or `nil` for schemes that have none.
    public let canonicalRequest: String?

    /// The largest number of bytes of a string that are retained, so that a rejection does not echo arbitrary input.
    package static let textByteLimit = 8 * 1024

    /// The largest number of bytes of a signature that are retained; those of the services are far shorter.
    package static let signatureByteLimit = 256

    /// Creates a comparison; for verifiers.
    ///
    /// Strings longer than 8,192 bytes and a signature longer than 256 bytes are truncated, with a note.
    ///
    /// - Parameters:
    ///   - signatureProvided: The signature in the request.
    ///   - stringToSign: The string to sign, without secrets.
    ///   - canonicalRequest: The canonical request, whose hash is part of the string to sign, without secrets; `nil`
    ///     for schemes that have none.
    public init(signatureProvided: String, stringToSign: String, canonicalRequest: String?) {
      self.signatureProvided = signatureProvided.shortened(to: Self.signatureByteLimit)
      self.stringToSign = stringToSign.shortened(to: Self.textByteLimit)
      self.canonicalRequest = canonicalRequest?.shortened(to: Self.textByteLimit)
    }
  }

  /// The part of the scope that does not match, for a signature of another scope; else `nil`.
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

    /// The request has no authorization.
    public static let unsigned = Code(value: .unsigned)
    /// The request has no date, or none that can be parsed.
    public static let missingDate = Code(value: .missingDate)
    /// The authorization, or the request, cannot be parsed.
    public static let malformed = Code(value: .malformed)
    /// The request has two authorizations, or a signed part occurs twice.
    public static let ambiguous = Code(value: .ambiguous)
    /// The algorithm is not supported.
    public static let unsupported = Code(value: .unsupported)
    /// A part of the request is larger, or occurs more often, than the verifier accepts.
    public static let limitExceeded = Code(value: .limitExceeded)
    /// The access key does not exist.
    public static let unknownKey = Code(value: .unknownKey)
    /// The key is temporary and the request has no session token.
    public static let missingToken = Code(value: .missingToken)
    /// The session token is not that of the key, or the key has none.
    public static let invalidToken = Code(value: .invalidToken)
    /// The signature is for another date, region or service.
    public static let wrongScope = Code(value: .wrongScope)
    /// A part of the request that has an effect is not signed.
    public static let unsignedField = Code(value: .unsignedField)
    /// The authorization is not valid yet.
    public static let notYetValid = Code(value: .notYetValid)
    /// The authorization has expired.
    public static let expired = Code(value: .expired)
    /// The temporary key has expired.
    public static let keyExpired = Code(value: .keyExpired)
    /// The time of signing is too far from the present.
    public static let clockSkew = Code(value: .clockSkew)
    /// The authorization is valid for longer than the verifier accepts.
    public static let lifetimeOutOfRange = Code(value: .lifetimeOutOfRange)
    /// The signature does not match.
    public static let mismatch = Code(value: .mismatch)
    /// The policy of a form cannot be parsed, or lacks a required condition.
    public static let invalidPolicy = Code(value: .invalidPolicy)
    /// The policy of a form has expired.
    public static let policyExpired = Code(value: .policyExpired)
    /// A form does not satisfy a condition of its policy.
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
  /// Returns a copy with the service's own error code.
  package func with(serviceCode: String) -> VerificationError {
    var copy = self
    copy.serviceCode = serviceCode
    return copy
  }

  /// Returns a copy with the access key id of the request and an instant, where they are not `nil`.
  ///
  /// - Parameters:
  ///   - accessKeyID: The access key id of the request.
  ///   - instant: The time at which the authorization expired or becomes valid, or at which the request was signed.
  public func with(accessKeyID: AccessKeyID? = nil, instant: Timestamp? = nil) -> VerificationError {
    var copy = self
    copy.accessKeyID = accessKeyID ?? self.accessKeyID
    copy.instant = instant ?? self.instant
    return copy
  }

  /// Creates the error for a request that cannot be canonicalized, from the signer's error.
  ///
  /// - Parameter error: The error of the signer's canonicalization.
  public init(_ error: SigningError) {
    let isRepeated = error == .repeatedParameter || error.code == .invalidHeader
    self.init(isRepeated ? .ambiguous : .malformed, error.message, remedy: error.remedy)
  }

  /// Returns the error for an authorization that cannot be parsed.
  ///
  /// - Parameter message: The problem and its location, in one sentence without secrets.
  public static func malformed(_ message: String) -> VerificationError {
    VerificationError(.malformed, message, remedy: "Sign the request with a current SDK.")
  }

  /// Returns the error for a signature of another scope.
  package static func wrongScope(_ part: ScopePart, _ message: String, remedy: String) -> VerificationError {
    var error = VerificationError(.wrongScope, message, remedy: remedy)
    error.scopePart = part
    return error
  }

  /// Returns the error for two authorizations, or a signed part that occurs twice.
  ///
  /// - Parameter message: The problem and its location, in one sentence without secrets.
  public static func ambiguous(_ message: String) -> VerificationError {
    VerificationError(.ambiguous, message, remedy: "Send it once, in one place.")
  }

  /// Returns the error for an access key id that does not exist.
  package static func unknownKey(_ id: AccessKeyID) -> VerificationError {
    var error = VerificationError(
      .unknownKey, "There is no access key with the id of the request.",
      remedy: "Check the access key id, and that the key is not disabled.")
    error.accessKeyID = id
    return error
  }
}
