public import HTTPTypes
public import StorageAuth

/// The service that a request was signed for, as far as it is known.
///
/// The services of this package are `.oss(…)`, `.cos(…)` and `.s3(…)`; a package with a service of its own supplies a
/// ``SignatureReader``.
public struct SignedService: Sendable, Hashable {
  package let reader: any SignatureReader

  /// Creates a service.
  ///
  /// - Parameter reader: Reads the service's signatures and its refusals.
  public init(_ reader: some SignatureReader) {
    self.reader = reader
  }

  /// Returns whether two services read signatures alike.
  public static func == (first: SignedService, second: SignedService) -> Bool {
    AnyHashable(first.reader) == AnyHashable(second.reader)
  }

  /// Hashes the reader.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(reader))
  }
}

/// What a service supplies so that its refusals can be explained: how its signatures are read, how the texts that they
/// cover are taken apart, and what its refusals mean.
///
/// Requirements with a default are those that most services share.
public protocol SignatureReader: Sendable, Hashable {
  /// Reads what a request says about its signature, and the texts that it covers.
  ///
  /// - Parameter request: The request as it was sent.
  /// - Returns: What it says, or `nil` if it carries no signature.
  /// - Throws: A `VerificationError` if the signature cannot be read.
  func signature(of request: HTTPRequest) throws(VerificationError) -> SignatureReading?

  /// Takes a string to sign apart.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - request: The request that it is likely to be of.
  /// - Returns: The parts, or `nil` if the text is no string to sign of the service.
  func parts(ofStringToSign text: String, for request: HTTPRequest) -> SignedParts?

  /// Takes a canonical request apart.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - request: The request that it is likely to be of.
  /// - Returns: The parts, or `nil` if the text is no canonical request of the service, or the service has none.
  func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts?

  /// Returns the hash of a canonical request as it stands in the string to sign, or `nil` if the service has none.
  func hash(ofCanonicalRequest text: String) -> String?

  /// Returns which of the signed texts a text from a log is, or `nil` for any other text.
  ///
  /// - Parameter lines: The lines of the text, three or more.
  func copiedText(_ lines: [String]) -> CopiedText?

  /// Whether the signed texts end with a line feed, which is kept then when one is copied.
  var endsTextsWithLineFeed: Bool { get }

  /// The words in which the service refuses: the elements of its documents and the header of an answer to HEAD.
  var refusals: RefusalVocabulary { get }

  /// What the codes of refusals mean; an answer with another code is about something else, unless its status is 401 or
  /// 403.
  var meanings: [String: RefusalMeaning] { get }

  /// Explains a refusal whose meaning is in its message or its details.
  ///
  /// A finding of `clockSkew`, `expired` or `notYetValid` is completed with the times.
  ///
  /// - Parameters:
  ///   - refusal: What the service said.
  ///   - request: The request as it was sent.
  /// - Returns: What was found, or `nil` to go on with what the code means.
  func finding(for refusal: RefusedAnswer.Reading, to request: HTTPRequest) -> SignatureFinding?

  /// The usual reason for a cause and what to do about it, where the service has words of its own; `nil` for the common
  /// ones.
  func advice(for cause: SignatureDiagnosis.Cause) -> (usual: String, remedy: String)?

  /// Whether a key is a temporary one, as far as its id tells; `nil` if it does not.
  func isTemporary(_ id: AccessKeyID) -> Bool?

  /// Whether the bucket is signed without being in the path.
  func signsBucketOutsidePath(of request: HTTPRequest) -> Bool

  /// The query parameters that hold a signature.
  var signatureParameters: Set<String> { get }

  /// The headers, in lower case, that hold the time of signing.
  var dateHeaders: Set<String> { get }

  /// Whether a signature says from when to when it is valid.
  var signsWindow: Bool { get }

  /// The largest distance between the time of signing and the present.
  var clockTolerance: Duration { get }
}

extension SignatureReader {
  /// `nil`: the service has no canonical request.
  public func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts? { nil }

  /// `nil`: the service has no canonical request.
  public func hash(ofCanonicalRequest text: String) -> String? { nil }

  /// `nil`: no text is recognized without a document around it.
  public func copiedText(_ lines: [String]) -> CopiedText? { nil }

  /// `false`.
  public var endsTextsWithLineFeed: Bool { false }

  /// The codes that services share.
  public var meanings: [String: RefusalMeaning] { RefusalMeaning.common }

  /// `nil`: the codes say all.
  public func finding(for refusal: RefusedAnswer.Reading, to request: HTTPRequest) -> SignatureFinding? { nil }

  /// `nil`: the common words.
  public func advice(for cause: SignatureDiagnosis.Cause) -> (usual: String, remedy: String)? { nil }

  /// `nil`: the id does not tell.
  public func isTemporary(_ id: AccessKeyID) -> Bool? { nil }

  /// `false`.
  public func signsBucketOutsidePath(of request: HTTPRequest) -> Bool { false }

  /// `date` alone.
  public var dateHeaders: Set<String> { ["date"] }

  /// `false`.
  public var signsWindow: Bool { false }

  /// Fifteen minutes.
  public var clockTolerance: Duration { .seconds(900) }
}

/// What the code of a refusal means for the signature.
public enum RefusalMeaning: Sendable, Hashable {
  /// The signature does not match.
  case mismatch
  /// The time of signing is too far from the service's.
  case clockSkew
  /// The id is unknown.
  case unknownKey
  /// The session token is not that of the key.
  case wrongToken
  /// The session token has ended.
  case endedToken
  /// Something of the request is wrong, possibly of its authorization: the message tells.
  case malformed
  /// It is not allowed, or not signed; the message tells.
  case denied

  /// The codes that services share.
  public static let common: [String: RefusalMeaning] = [
    "SignatureDoesNotMatch": .mismatch, "RequestTimeTooSkewed": .clockSkew, "InvalidAccessKeyId": .unknownKey,
    "InvalidSecurityToken": .wrongToken, "InvalidToken": .wrongToken, "SecurityTokenExpired": .endedToken,
    "ExpiredToken": .endedToken, "InvalidArgument": .malformed, "AccessDenied": .denied,
  ]
}

/// One of the texts that a signature covers, as it was copied from a log.
public enum CopiedText: Sendable, Hashable {
  /// The string to sign.
  case stringToSign
  /// The text whose hash is in it.
  case canonicalRequest
}

/// What a request says about its signature.
public struct SignatureReading: Sendable {
  /// The id of the key.
  public var accessKeyID: AccessKeyID

  /// Whether a session token came along where the service looks for one.
  public var hasToken: Bool

  /// The time of signing, or the start of a window; `nil` if the request does not say.
  public var signedAt: Timestamp?

  /// The end of the signature; `nil` if the request does not say.
  public var end: Timestamp?

  /// The headers and parameters that have an effect and are not on the list of what is signed.
  public var unsignedParts: [SignedPart]

  /// The texts that the signature covers.
  public var texts: SignedTexts

  /// Creates a reading.
  ///
  /// - Parameters:
  ///   - accessKeyID: The id of the key.
  ///   - hasToken: Whether a session token came along where the service looks for one.
  ///   - signedAt: The time of signing, or the start of a window.
  ///   - end: The end of the signature.
  ///   - unsignedParts: The headers and parameters that have an effect and are not signed.
  ///   - texts: The texts that the signature covers.
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

/// What was found about a refused signature.
public struct SignatureFinding: Sendable, Hashable {
  /// The kind of the problem.
  public var cause: SignatureDiagnosis.Cause

  /// The name of the line that differs; `nil` where it is not about a line.
  public var line: String?

  /// The line as it was sent.
  public var sent: String?

  /// The line as the service saw it.
  public var seen: String?

  /// What is known beyond the cause, in sentences without secrets.
  public var detail: String

  /// The names of the other lines that differ.
  var otherLines: [String] = []

  /// Creates a finding.
  ///
  /// - Parameters:
  ///   - cause: The kind of the problem.
  ///   - line: The name of the line that differs.
  ///   - sent: The line as it was sent.
  ///   - seen: The line as the service saw it.
  ///   - detail: What is known beyond the cause, in sentences without secrets.
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
