public import HTTPTypes
internal import StorageAuth

/// Why a service refused a signature, in words.
///
/// It compares what was signed with what the service says that it signed, line by line, and knows the usual reason for
/// each difference. Session tokens and signatures are masked in all of it.
///
/// ```swift
/// let diagnosis = SignatureDiagnosis(of: RefusedAnswer(body), to: request, signedFor: .oss(bucket: "photos"))
/// print(diagnosis)
/// ```
public struct SignatureDiagnosis: Sendable, Hashable {
  /// The kind of the problem.
  public let cause: Cause

  /// The line that differs, such as `Content-Type` or `query parameter acl`; nothing where it is not about a line.
  public let line: String?

  /// What was sent in this line; nothing if it was not there.
  public let sent: String?

  /// What the service saw in this line; nothing if it was not there, or if it does not say.
  public let seen: String?

  /// What differs and what usually leads to it, in sentences.
  public let explanation: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// The names of the other lines that differ; often a consequence of the first.
  public let otherLines: [String]

  /// Finds out why a service refused a request.
  ///
  /// - Parameters:
  ///   - answer: What the service answered.
  ///   - request: The request as it was sent, with its authorization.
  ///   - service: The service that it was signed for.
  ///   - stringToSign: The text that the signer signed, where it is known; read from the request if not given.
  ///   - canonicalRequest: The text whose hash is in it, for schemes that have one.
  /// - Returns: The diagnosis, or `nil` if the answer is not about who sent the request and how it is signed.
  public init?(
    of answer: RefusedAnswer, to request: HTTPRequest, signedFor service: SignedService, stringToSign: String? = nil,
    canonicalRequest: String? = nil
  ) {
    let reader = service.reader
    let reading = answer.reading(by: reader)
    guard reading.concernsAuthorization(reader.meanings) else { return nil }
    let sent = SentRequest(request, reader, stringToSign: stringToSign, canonicalRequest: canonicalRequest)
    guard let finding = SignatureComparison(answer: reading, sent: sent).finding else { return nil }
    self.init(finding, by: reader, masking: SecretMask(sent.tokens))
  }

  /// Puts a finding into words, without the tokens; what is shown is masked by its name already.
  private init(_ finding: SignatureFinding, by reader: some SignatureReader, masking mask: SecretMask) {
    func masked(_ text: String) -> String { mask.applied(to: text) }
    let words = reader.advice(for: finding.cause) ?? finding.cause.text
    cause = finding.cause
    line = finding.line.map(masked)
    sent = finding.sent.map(masked)
    seen = finding.seen.map(masked)
    explanation = masked(finding.detail.isEmpty ? words.usual : "\(finding.detail) \(words.usual)")
    remedy = words.remedy
    otherLines = finding.otherLines.map(masked)
  }
}

extension SignatureDiagnosis {
  /// The line, if it is about one, and the explanation.
  public var summary: String {
    guard let line else { return explanation }
    return "\(line): sent \(sent ?? "nothing"), seen \(seen ?? "nothing"). \(explanation)"
  }
}

extension SignatureDiagnosis: CustomStringConvertible {
  /// All of it, a line each.
  public var description: String {
    var lines = ["cause   \(cause.rawValue)"]
    if let line {
      lines.append("line    \(line)")
      lines.append("sent    \(sent ?? "nothing")")
      lines.append("seen    \(seen ?? "nothing")")
    }
    lines += ["why     \(explanation)", "remedy  \(remedy)"]
    if !otherLines.isEmpty { lines.append("also    \(otherLines.joined(separator: ", "))") }
    return lines.joined(separator: "\n")
  }
}
