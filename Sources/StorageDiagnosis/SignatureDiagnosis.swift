// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageAuth

/// An explanation of a signature's rejection.
///
/// The diagnosis compares the client's string to sign with the one that the service shows, line by line, and states the
/// usual reason for each difference. Session tokens and signatures are masked in all of its properties.
///
/// ```swift
/// let diagnosis = SignatureDiagnosis(of: RefusedAnswer(body), to: request, signedFor: .oss(bucket: "photos"))
/// print(diagnosis)
/// ```
public struct SignatureDiagnosis: Sendable, Hashable {
  /// The cause of the rejection.
  public let cause: Cause

  /// The name of the line that differs, such as `Content-Type` or `query parameter acl`; `nil` if the cause is not
  /// about a line.
  public let line: String?

  /// The value of this line in the sent request, or `nil` if the line was absent.
  public let sent: String?

  /// The value of this line that the service saw, or `nil` if the line was absent or the service does not show it.
  public let seen: String?

  /// The difference and its usual reason, in sentences.
  public let explanation: String

  /// The remedy, in a sentence.
  public let remedy: String

  /// The names of the other lines that differ, often as a consequence of the first.
  public let otherLines: [String]

  /// Creates a diagnosis of a rejected request.
  ///
  /// - Parameters:
  ///   - answer: The response of the service.
  ///   - request: The request as it was sent, with its authorization.
  ///   - service: The service that the request was signed for.
  ///   - stringToSign: The string that the client signed, if it is known; `nil` derives it from the request.
  ///   - canonicalRequest: The canonical request of the client, for schemes that have one; `nil` derives it from the
  ///     request.
  /// - Returns: The diagnosis, or `nil` if the response is about neither the sender of the request nor its signature.
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

  /// Creates the sentences for a finding, without tokens; the shown values are already masked by their names.
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
  /// The line, if the diagnosis is about one, and the explanation.
  public var summary: String {
    guard let line else { return explanation }
    return "\(line): sent \(sent ?? "(none)"), seen \(seen ?? "(none)"). \(explanation)"
  }
}

extension SignatureDiagnosis: CustomStringConvertible {
  /// All properties, one line each.
  public var description: String {
    var lines = ["cause   \(cause.rawValue)"]
    if let line {
      lines.append("line    \(line)")
      lines.append("sent    \(sent ?? "(none)")")
      lines.append("seen    \(seen ?? "(none)")")
    }
    lines += ["why     \(explanation)", "remedy  \(remedy)"]
    if !otherLines.isEmpty { lines.append("also    \(otherLines.joined(separator: ", "))") }
    return lines.joined(separator: "\n")
  }
}
