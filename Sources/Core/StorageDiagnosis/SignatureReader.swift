// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A type that parses a service's signatures, signed strings and error responses.
///
/// A ``SignatureDiagnosis`` uses it to explain a rejection. What most services share has a default implementation.
public protocol SignatureReader: Sendable, Hashable {
  /// Parses the signature of a request, and returns its statements and the strings that it covers.
  ///
  /// - Parameter request: The request as the client sent it.
  /// - Returns: The statements and the strings, or `nil` if the request contains no signature.
  /// - Throws: A `VerificationError` if the signature cannot be parsed.
  func signature(of request: HTTPRequest) throws(VerificationError) -> SignatureReading?

  /// Parses a string to sign.
  ///
  /// - Parameters:
  ///   - text: The string to sign.
  ///   - request: The request to which the string probably belongs.
  /// - Returns: The parts of the string, or `nil` if the string is not a string to sign of the service.
  func parts(ofStringToSign text: String, for request: HTTPRequest) -> SignedParts?

  /// Parses a canonical request.
  ///
  /// - Parameters:
  ///   - text: The canonical request.
  ///   - request: The request to which the string probably belongs.
  /// - Returns: The parts of the string, or `nil` if it is no canonical request of the service, or there are none.
  func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts?

  /// Returns the hash of a canonical request as in the string to sign, or `nil` if the service has none.
  func hash(ofCanonicalRequest text: String) -> String?

  /// Returns the kind of a signed string that was copied from a log, or `nil` if the string is not a signed string.
  ///
  /// - Parameter lines: The lines of the string, at least three.
  func kind(ofCopiedText lines: [String]) -> CopiedTextKind?

  /// Whether signed strings end with a line feed, which a copied string preserves.
  var endsTextsWithLineFeed: Bool { get }
  /// The service's error codes: the elements of its error documents, and the header of its responses to HEAD.
  var errorCodes: ServiceErrorCodes { get }

  /// The meanings of the service's error codes.
  ///
  /// A response with another code does not concern the signature, unless its status code is 401 or 403.
  var refusalMeanings: [String: RefusalMeaning] { get }

  /// Returns the finding for an error whose message or details determine its meaning.
  ///
  /// The diagnosis adds the times to a finding with the cause `clockSkew`, `expired` or `notYetValid`.
  ///
  /// - Parameters:
  ///   - rejection: The parsed response of the service.
  ///   - request: The request as the client sent it.
  /// - Returns: The finding, or `nil` to use the meaning of the error code.
  func finding(for rejection: RejectedResponse.Reading, to request: HTTPRequest) -> SignatureFinding?

  /// Returns what usually leads to a cause at the service, and how to fix it, or `nil` for the common descriptions.
  func advice(for cause: SignatureDiagnosis.Cause) -> SignatureDiagnosis.Advice?

  /// Returns whether an access key ID belongs to a temporary key, or `nil` if the ID does not show it.
  func isTemporary(_ id: AccessKeyID) -> Bool?

  /// Returns whether the signature covers a bucket name that is not in the path.
  func signsBucketOutsidePath(of request: HTTPRequest) -> Bool

  /// The names of the query parameters that contain a signature.
  var signatureParameters: Set<String> { get }
  /// The lowercase names of the headers that contain the signing time.
  var dateHeaders: Set<String> { get }
  /// Whether signatures contain the window in which they are valid.
  var signsWindow: Bool { get }
  /// The maximum difference between the signing time and the server's time.
  var clockTolerance: Duration { get }
}

extension SignatureReader {
  /// Returns `nil` because most services have no canonical request.
  public func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts? { nil }
  /// Returns `nil` because most services have no canonical request.
  public func hash(ofCanonicalRequest text: String) -> String? { nil }
  /// Returns `nil`, so that a signed string is recognized only within an error document.
  public func kind(ofCopiedText lines: [String]) -> CopiedTextKind? { nil }
  /// A default implementation that returns `false`: signed strings do not end with a line feed.
  public var endsTextsWithLineFeed: Bool { false }
  /// The meanings of the error codes that the services share.
  public var refusalMeanings: [String: RefusalMeaning] { RefusalMeaning.common }
  /// Returns `nil`, so that the error code determines the finding.
  public func finding(for rejection: RejectedResponse.Reading, to request: HTTPRequest) -> SignatureFinding? { nil }
  /// Returns `nil`, so that the common descriptions apply.
  public func advice(for cause: SignatureDiagnosis.Cause) -> SignatureDiagnosis.Advice? { nil }
  /// Returns `nil` because access key IDs generally do not show whether a key is temporary.
  public func isTemporary(_ id: AccessKeyID) -> Bool? { nil }
  /// Returns `false`: the signature covers a bucket name only if it is in the path.
  public func signsBucketOutsidePath(of request: HTTPRequest) -> Bool { false }
  /// A default implementation that returns only `date`.
  public var dateHeaders: Set<String> { ["date"] }
  /// A default implementation that returns `false`: signatures do not contain a validity window.
  public var signsWindow: Bool { false }
  /// A default implementation that returns fifteen minutes.
  public var clockTolerance: Duration { .seconds(900) }
}

/// The meaning of a service's error code for the diagnosis of a signature.
public enum RefusalMeaning: Sendable, Hashable {
  /// The signature does not match the request.
  case mismatch
  /// The signing time is too far from the server's time.
  case clockSkew
  /// The access key ID is unknown.
  case unknownKey
  /// The session token does not belong to the key.
  case wrongToken
  /// The session token has expired.
  case expiredToken
  /// The request, or its authorization, is invalid. The message describes the problem.
  case malformed
  /// The operation is not allowed, or the request is not signed. The message shows which of them applies.
  case denied

  /// The meanings of the error codes that the services share.
  public static let common: [String: RefusalMeaning] = [
    "SignatureDoesNotMatch": .mismatch, "RequestTimeTooSkewed": .clockSkew, "InvalidAccessKeyId": .unknownKey,
    "InvalidSecurityToken": .wrongToken, "InvalidToken": .wrongToken, "SecurityTokenExpired": .expiredToken,
    "ExpiredToken": .expiredToken, "InvalidArgument": .malformed, "AccessDenied": .denied,
  ]
}

/// A kind of signed string, as copied from a log.
public enum CopiedTextKind: Sendable, Hashable {
  /// A string to sign that was copied from a log.
  case stringToSign
  /// The canonical request, whose hash is in the string to sign.
  case canonicalRequest
}

/// The service for which a request was signed, with its known properties.
///
/// This package supplies `.oss(…)`, `.cos(…)` and `.s3(…)`. Another service supplies a ``SignatureReader``.
public struct SignedService: Sendable, Hashable {
  package let reader: any SignatureReader

  /// Creates a service from a reader.
  ///
  /// - Parameter reader: The reader of the service's signatures and error responses.
  public init(_ reader: some SignatureReader) { self.reader = reader }

  /// Returns whether two services have equal readers.
  public static func == (first: SignedService, second: SignedService) -> Bool {
    AnyHashable(first.reader) == AnyHashable(second.reader)
  }

  /// Hashes the reader of the service into the given hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(reader)) }
}

/// The unverified statements of a request about its signature, and the strings that the signature covers.
public struct SignatureReading: Sendable {
  /// The ID of the access key with which the request claims to be signed.
  public var accessKeyID: AccessKeyID
  /// Whether the request contains a session token where the service reads it.
  public var hasToken: Bool
  /// The signing time or the start of the validity window, or `nil` if the request does not contain it.
  public var signedAt: Timestamp?
  /// The expiration of the signature, or `nil` if the request does not contain it.
  public var expiration: Timestamp?
  /// The headers and query parameters that have an effect but are not listed as signed.
  public var unsignedParts: [SignedPart]
  /// The strings that the signature covers.
  public var texts: SignedTexts

  /// Creates a reading of a request's signature; the parameters are the properties.
  public init(
    accessKeyID: AccessKeyID, hasToken: Bool, signedAt: Timestamp?, expiration: Timestamp?,
    unsignedParts: [SignedPart] = [], texts: SignedTexts
  ) {
    self.accessKeyID = accessKeyID
    self.hasToken = hasToken
    self.signedAt = signedAt
    self.expiration = expiration
    self.unsignedParts = unsignedParts
    self.texts = texts
  }
}
