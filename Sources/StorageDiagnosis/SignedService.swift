// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// The service that a request was signed for, with the properties that are known.
///
/// The services of this package are `.oss(…)`, `.cos(…)` and `.s3(…)`; a package for another service supplies a
/// ``SignatureReader``.
public struct SignedService: Sendable, Hashable {
  package let reader: any SignatureReader

  /// Creates a service.
  ///
  /// - Parameter reader: The reader of the service's signatures and error responses.
  public init(_ reader: some SignatureReader) {
    self.reader = reader
  }

  /// Returns whether two services have equal readers.
  public static func == (first: SignedService, second: SignedService) -> Bool {
    AnyHashable(first.reader) == AnyHashable(second.reader)
  }

  /// Hashes the reader.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(reader))
  }
}

/// A reader of the signatures, the signed strings and the error responses of a service.
///
/// A ``SignatureDiagnosis`` uses it to explain a rejection. Requirements that most services share have a default
/// implementation.
public protocol SignatureReader: Sendable, Hashable {
  /// Parses the signature of a request and returns its claims and the strings that it covers.
  ///
  /// - Parameter request: The request as it was sent.
  /// - Returns: The claims and the strings, or `nil` if the request carries no signature.
  /// - Throws: A `VerificationError` if the signature cannot be parsed.
  func signature(of request: HTTPRequest) throws(VerificationError) -> SignatureReading?

  /// Parses a string to sign.
  ///
  /// - Parameters:
  ///   - text: The string to sign.
  ///   - request: The request that the string probably belongs to.
  /// - Returns: The parts, or `nil` if the string is not a string to sign of the service.
  func parts(ofStringToSign text: String, for request: HTTPRequest) -> SignedParts?

  /// Parses a canonical request.
  ///
  /// - Parameters:
  ///   - text: The canonical request.
  ///   - request: The request that the string probably belongs to.
  /// - Returns: The parts, or `nil` if the string is not a canonical request of the service, or the service has none.
  func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts?

  /// Returns the hash of a canonical request as it appears in the string to sign, or `nil` if the service has none.
  func hash(ofCanonicalRequest text: String) -> String?

  /// Returns the kind of a signed string from a log, or `nil` for any other string.
  ///
  /// - Parameter lines: The lines of the string, at least three.
  func copiedText(_ lines: [String]) -> CopiedText?

  /// Whether the signed strings end with a line feed, which is then preserved when one is copied.
  var endsTextsWithLineFeed: Bool { get }

  /// The service's error vocabulary: the elements of its documents and the header of its responses to HEAD.
  var refusals: RefusalVocabulary { get }

  /// The meanings of the service's error codes.
  ///
  /// A response with another code is not about the signature, unless its status code is 401 or 403.
  var meanings: [String: RefusalMeaning] { get }

  /// Returns the finding for an error whose meaning is in its message or its details.
  ///
  /// The times are added to a finding of `clockSkew`, `expired` or `notYetValid`.
  ///
  /// - Parameters:
  ///   - refusal: The parsed response of the service.
  ///   - request: The request as it was sent.
  /// - Returns: The finding, or `nil` to continue with the meaning of the code.
  func finding(for refusal: RefusedAnswer.Reading, to request: HTTPRequest) -> SignatureFinding?

  /// Returns the service-specific usual reason and remedy for a cause, or `nil` for the common ones.
  func advice(for cause: SignatureDiagnosis.Cause) -> (usual: String, remedy: String)?

  /// Returns whether an ID belongs to a temporary key, or `nil` if the ID does not show it.
  func isTemporary(_ id: AccessKeyID) -> Bool?

  /// Returns whether the signature covers a bucket that is not in the path.
  func signsBucketOutsidePath(of request: HTTPRequest) -> Bool

  /// The query parameters that contain a signature.
  var signatureParameters: Set<String> { get }

  /// The lower-case names of the headers that contain the time of signing.
  var dateHeaders: Set<String> { get }

  /// Whether a signature states the window in which it is valid.
  var signsWindow: Bool { get }

  /// The largest difference between the time of signing and the present.
  var clockTolerance: Duration { get }
}

extension SignatureReader {
  /// Returns `nil`: the service has no canonical request.
  public func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts? { nil }

  /// Returns `nil`: the service has no canonical request.
  public func hash(ofCanonicalRequest text: String) -> String? { nil }

  /// Returns `nil`: no string is recognized without a document around it.
  public func copiedText(_ lines: [String]) -> CopiedText? { nil }

  /// The default value `false`.
  public var endsTextsWithLineFeed: Bool { false }

  /// The error codes that the services share.
  public var meanings: [String: RefusalMeaning] { RefusalMeaning.common }

  /// Returns `nil`: the codes are sufficient.
  public func finding(for refusal: RefusedAnswer.Reading, to request: HTTPRequest) -> SignatureFinding? { nil }

  /// Returns `nil`: the common sentences apply.
  public func advice(for cause: SignatureDiagnosis.Cause) -> (usual: String, remedy: String)? { nil }

  /// Returns `nil`: the ID does not show it.
  public func isTemporary(_ id: AccessKeyID) -> Bool? { nil }

  /// Returns `false`.
  public func signsBucketOutsidePath(of request: HTTPRequest) -> Bool { false }

  /// Only `date`.
  public var dateHeaders: Set<String> { ["date"] }

  /// The default value `false`.
  public var signsWindow: Bool { false }

  /// The default value of fifteen minutes.
  public var clockTolerance: Duration { .seconds(900) }
}

/// The meaning of an error code for the signature.
public enum RefusalMeaning: Sendable, Hashable {
  /// The signature does not match.
  case mismatch
  /// The time of signing is too far from the service's time.
  case clockSkew
  /// The access key ID is unknown.
  case unknownKey
  /// The session token does not belong to the key.
  case wrongToken
  /// The session token has expired.
  case endedToken
  /// The request, possibly its authorization, is invalid; the message shows in which way.
  case malformed
  /// The operation is not allowed, or the request is not signed; the message shows which.
  case denied

  /// The error codes that the services share.
  public static let common: [String: RefusalMeaning] = [
    "SignatureDoesNotMatch": .mismatch, "RequestTimeTooSkewed": .clockSkew, "InvalidAccessKeyId": .unknownKey,
    "InvalidSecurityToken": .wrongToken, "InvalidToken": .wrongToken, "SecurityTokenExpired": .endedToken,
    "ExpiredToken": .endedToken, "InvalidArgument": .malformed, "AccessDenied": .denied,
  ]
}

/// A kind of string that a signature covers, as copied from a log.
public enum CopiedText: Sendable, Hashable {
  /// The string to sign.
  case stringToSign
  /// The canonical request, whose hash is in the string to sign.
  case canonicalRequest
}

/// The claims of a request about its signature, and the strings that it covers.
public struct SignatureReading: Sendable {
  /// The access key ID.
  public var accessKeyID: AccessKeyID

  /// Whether the request has a session token at a position where the service reads it.
  public var hasToken: Bool

  /// The time of signing, or the start of a window; `nil` if the request does not state it.
  public var signedAt: Timestamp?

  /// The expiration of the signature; `nil` if the request does not state it.
  public var end: Timestamp?

  /// The headers and parameters that have an effect and are not listed as signed.
  public var unsignedParts: [SignedPart]

  /// The strings that the signature covers.
  public var texts: SignedTexts

  /// Creates a reading.
  ///
  /// - Parameters:
  ///   - accessKeyID: The access key ID.
  ///   - hasToken: Whether the request has a session token at a position where the service reads it.
  ///   - signedAt: The time of signing, or the start of a window.
  ///   - end: The expiration of the signature.
  ///   - unsignedParts: The headers and parameters that have an effect and are not signed.
  ///   - texts: The strings that the signature covers.
  public init(
    accessKeyID: AccessKeyID, hasToken: Bool, signedAt: Timestamp?, end: Timestamp?, unsignedParts: [SignedPart] = [],
    texts: SignedTexts
  ) {
    self.accessKeyID = accessKeyID
    self.hasToken = hasToken
    self.signedAt = signedAt
    self.end = end
    self.unsignedParts = unsignedParts
    self.texts = texts
  }
}

/// A finding about a rejected signature.
public struct SignatureFinding: Sendable, Hashable {
  /// The cause of the rejection.
  public var cause: SignatureDiagnosis.Cause

  /// The name of the line that differs; `nil` if the cause is not about a line.
  public var line: String?

  /// The value of the line in the sent request.
  public var sent: String?

  /// The value of the line that the service saw.
  public var seen: String?

  /// The additional facts, in sentences without secrets.
  public var detail: String

  /// The names of the other lines that differ.
  var otherLines: [String] = []

  /// Creates a finding.
  ///
  /// - Parameters:
  ///   - cause: The cause of the rejection.
  ///   - line: The name of the line that differs.
  ///   - sent: The value of the line in the sent request.
  ///   - seen: The value of the line that the service saw.
  ///   - detail: The additional facts, in sentences without secrets.
  public init(
    _ cause: SignatureDiagnosis.Cause, line: String? = nil, sent: String? = nil, seen: String? = nil,
    detail: String = ""
  ) {
    self.cause = cause
    self.line = line
    self.sent = sent
    self.seen = seen
    self.detail = detail
  }
}

extension SignatureFinding: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The cause and the line, without the values.
  public var description: String { "SignatureFinding(\(cause.rawValue)\(line.map { ", \($0)" } ?? ""))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the values of the line.
  public var customMirror: Mirror { Mirror(self, children: ["cause": cause, "line": line as Any]) }
}
