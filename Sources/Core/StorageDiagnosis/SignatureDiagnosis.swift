// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageAuth

/// An explanation of why a service rejected a signature.
///
/// The diagnosis compares the client's string to sign with the string that the service shows, line by line, and
/// describes the usual reason for each difference. Session tokens and signatures are masked in all of its properties.
///
/// ```swift
/// let diagnosis = SignatureDiagnosis(of: RejectedResponse(body), to: request, signedFor: .oss(bucket: "photos"))
/// print(diagnosis)
/// ```
public struct SignatureDiagnosis: Sendable, Hashable {
  /// The cause of the signature's rejection.
  public let cause: Cause
  /// The name of the line that differs, such as `query parameter acl`, or `nil` if the cause does not concern a line.
  public let line: String?
  /// The value of the differing line in the sent request, or `nil` if the line was absent.
  public let sent: String?
  /// The value of the differing line that the service received, or `nil` if it was absent or is not shown.
  public let received: String?
  /// A description of the difference and its usual reason, in complete sentences.
  public let explanation: String
  /// A description of how to fix the cause, in a complete sentence.
  public let remedy: String
  /// The names of other lines that differ, often as a consequence of the first difference.
  public let otherLines: [String]

  /// The sentences for a wrong secret if the strings to sign are equal, or `nil`.
  private let wrongSecretSentences: Sentences?

  struct Sentences: Hashable {
    let explanation: String
    let remedy: String
  }

  /// Creates a diagnosis of a rejected request, or returns `nil` if its sender and signature are not the reason.
  ///
  /// - Parameters:
  ///   - rejected: The response of the service.
  ///   - request: The request as the client sent it, with its authorization.
  ///   - service: The service for which the request was signed.
  ///   - stringToSign: The string that the client signed, or `nil` to derive the string from the request. Only with this
  ///     string can the cause be ``Cause/wrongSecret``.
  ///   - canonicalRequest: The client's canonical request, or `nil` to derive it, or if the scheme has none.
  public init?(
    of rejected: RejectedResponse, to request: HTTPRequest, signedFor service: SignedService,
    stringToSign: String? = nil, canonicalRequest: String? = nil
  ) {
    let rejection = rejected.reading(by: service.reader)
    let sent = SentRequest(request, service.reader, stringToSign: stringToSign, canonicalRequest: canonicalRequest)
    guard let diagnosis = SignatureDiagnosis(of: rejection, sent) else { return nil }
    self = stringToSign == nil ? diagnosis : diagnosis.whenSignedAsSent
  }

  init?(of rejection: RejectedResponse.Reading, _ sent: SentRequest) {
    guard rejection.concernsAuthorization(sent.reader.refusalMeanings),
      let finding = SignatureComparison(rejection: rejection, sent: sent).finding
    else { return nil }
    self.init(finding, by: sent.reader, masking: SecretMask(sent.tokens))
  }

  /// Creates the sentences for a finding, with session tokens masked; values of secret lines already are.
  private init(_ finding: SignatureFinding, by reader: some SignatureReader, masking mask: SecretMask) {
    func masked(_ text: String) -> String { mask.applied(to: text) }
    func sentences(for cause: Cause) -> Sentences {
      let advice = reader.advice(for: cause) ?? cause.commonAdvice
      let explanation = finding.detail.isEmpty ? advice.usualCause : "\(finding.detail) \(advice.usualCause)"
      return Sentences(explanation: masked(explanation), remedy: advice.remedy)
    }
    let causeSentences = sentences(for: finding.cause)
    self.init(
      finding.cause, explanation: causeSentences.explanation, remedy: causeSentences.remedy,
      line: finding.line.map(masked), sent: finding.sent.map(masked), received: finding.received.map(masked),
      otherLines: finding.otherLines.map(masked),
      wrongSecretSentences: finding.stringsAreEqual ? sentences(for: .wrongSecret) : nil)
  }

  /// Creates a diagnosis, by default one that no line shows, such as one that was found with the key.
  init(
    _ cause: Cause, explanation: String, remedy: String, line: String? = nil, sent: String? = nil,
    received: String? = nil, otherLines: [String] = [], wrongSecretSentences: Sentences? = nil
  ) {
    self.cause = cause
    self.line = line
    self.sent = sent
    self.received = received
    self.explanation = explanation
    self.remedy = remedy
    self.otherLines = otherLines
    self.wrongSecretSentences = wrongSecretSentences
  }

  /// The diagnosis for a client that is known to have signed exactly the request that it sent.
  ///
  /// If the service signed the same string, the cause is ``Cause/wrongSecret``. Without that knowledge it is
  /// ``Cause/unknown``: a presigned URL, for example, may have been signed for another method.
  package var whenSignedAsSent: SignatureDiagnosis {
    guard cause == .unknown, let sentences = wrongSecretSentences else { return self }
    return SignatureDiagnosis(.wrongSecret, explanation: sentences.explanation, remedy: sentences.remedy)
  }

  /// The name and the values of the differing line, if the diagnosis concerns a line, and the explanation.
  public var summary: String {
    guard let line else { return explanation }
    return "\(line): sent \(sent ?? "(none)"), seen \(received ?? "(none)"). \(explanation)"
  }
}

extension SignatureDiagnosis: CustomStringConvertible {
  /// All properties of the diagnosis, each on its own line.
  public var description: String {
    var lines = ["cause   \(cause.rawValue)"]
    if let line {
      lines.append("line    \(line)")
      lines.append("sent    \(sent ?? "(none)")")
      lines.append("seen    \(received ?? "(none)")")
    }
    lines += ["why     \(explanation)", "remedy  \(remedy)"]
    if !otherLines.isEmpty { lines.append("also    \(otherLines.joined(separator: ", "))") }
    return lines.joined(separator: "\n")
  }
}
