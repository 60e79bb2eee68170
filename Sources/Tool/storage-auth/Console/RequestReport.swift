// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageAuth
internal import StorageDiagnosis

/// A request of a local cloud as the console shows it.
///
/// All strings are safe to show: control characters are escaped, and secrets are masked.
struct RequestReport: Sendable {
  private let request: LocalCloud.RequestEvent
  private let explanation: Explanation?

  init(_ request: LocalCloud.RequestEvent) {
    self.request = request
    explanation = request.rejectedSignature.flatMap { Explanation($0) }
  }

  /// Returns the line of the list of requests.
  func summary(number: Int) -> JSONValue {
    func text(_ string: String?) -> JSONValue { string.map { .string($0.onOneLine) } ?? .null }
    func count(_ integer: Int64?) -> JSONValue { integer.map { .number(JSONNumber($0)) } ?? .null }
    let (seconds, attoseconds) = request.duration.components
    return [
      "n": .number(JSONNumber(number)), "time": .string(request.date.iso8601),
      "endpoint": .string(request.endpoint.rawValue), "method": text(request.method), "target": text(request.target),
      "bucket": text(request.bucket), "key": text(request.key), "keyID": text(request.accessKeyID?.string),
      "presigned": .bool(request.isPresigned), "authorization": .string(authorization), "scheme": text(scheme),
      "outcome": .string(request.outcome.rawValue), "status": count(request.status.map { Int64($0) }),
      "code": text(request.refusal?.code), "message": text(request.refusal?.message),
      "cause": text(explanation?.title),
      "microseconds": .number(JSONNumber(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)),
      "received": count(request.requestByteCount), "sent": .number(JSONNumber(request.responseByteCount)),
    ]
  }

  /// The explanation of the request's rejection, which is `null` for a request whose signature was not rejected.
  var detail: JSONValue { explanation?.json ?? .null }

  private var authorization: String {
    switch request.authorization {
    case .verified: "verified"
    case .anonymous: "anonymous"
    case .rejected: "rejected"
    case .other: "other"
    }
  }

  private var scheme: String? {
    if case .verified(let kind) = request.authorization { kind.rawValue } else { nil }
  }
}

/// The explanation of a rejected signature: the cause, the remedy, and the strings of both sides.
struct Explanation: Sendable {
  /// The cause in a few words, such as `content type added`.
  let title: String
  private let diagnosis: SignatureDiagnosis
  private let strings: [(name: String, comparison: LineComparison, isPair: Bool)]
  private let basis: String

  /// Creates the explanation of a rejected signature, or `nil` if its rejection does not concern the signature.
  init?(_ rejected: RejectedSignature) {
    let report = RejectionReport(
      of: RejectedResponse(rejected.response, body: rejected.document), to: rejected.request,
      signedFor: rejected.provider.signedService(region: rejected.region), region: rejected.region,
      isMismatch: rejected.isMismatch,
      search: rejected.key.map { SignatureSearch(key: $0, others: rejected.others, fits: rejected.fits) })
    guard let diagnosis = report.diagnosis else { return nil }
    self.diagnosis = diagnosis
    title = diagnosis.cause == .unknown ? "wrong secret, or another string" : diagnosis.cause.title
    basis = report.basis.rawValue
    let client = report.client
    var strings: [(String, LineComparison, Bool)] = []
    for (name, first, second) in [
      ("String to sign", client?.stringToSign, report.service?.stringToSign),
      ("Canonical request", client?.canonicalRequest, report.service?.canonicalRequest),
    ] {
      guard let one = first ?? second else { continue }
      strings.append(
        (name, LineComparison(client: first ?? one, service: second ?? one), first != nil && second != nil))
    }
    self.strings = strings
  }

  /// The explanation as JSON, with all strings safe to show.
  var json: JSONValue {
    func text(_ string: String?) -> JSONValue { string.map { .string($0.onOneLine) } ?? .null }
    let time = signingTimes
    let shown = strings.map { name, comparison, isPair -> JSONValue in
      let rows = comparison.rows.map { row -> JSONValue in
        let isMarked = row.differs || time.contains { row.client?.text.contains($0) ?? false }
        return [
          "client": isPair ? Self.json(row.client) : .null, "service": Self.json(row.service ?? row.client),
          "differs": .bool(isMarked),
        ]
      }
      return ["name": .string(name), "pair": .bool(isPair), "rows": .array(rows)]
    }
    return [
      "title": text(title), "text": text(diagnosis.explanation), "remedy": text(diagnosis.remedy),
      "basis": .string(basis), "line": text(diagnosis.line), "sent": text(diagnosis.sent),
      "seen": text(diagnosis.received),
      "others": .array(diagnosis.otherLines.map { text($0) }), "strings": .array(shown),
    ]
  }

  private static func json(_ line: LineComparison.Line?) -> JSONValue {
    guard let line else { return .null }
    return [.string(line.before), .string(line.difference), .string(line.after)]
  }

  /// The spellings of the signing time in signed strings, if the rejection concerns it.
  private var signingTimes: [String] {
    guard [.clockSkew, .notYetValid, .expired].contains(diagnosis.cause),
      let instant = diagnosis.sent.flatMap({ Timestamp(iso8601: $0) })
    else { return [] }
    return [instant.iso8601Basic, instant.httpDate, String(instant.unixSeconds)]
  }
}

extension SignatureDiagnosis.Cause {
  /// The name of the cause in words.
  fileprivate var title: String {
    var words = ""
    var previous: Character = " "
    for character in rawValue {
      if character.isUppercase, !previous.isUppercase { words += " " }
      words.append(character)
      previous = character
    }
    return words.split(separator: " ").map { word in
      word.dropFirst().contains(where: \.isUppercase) ? String(word) : word.lowercased()
    }.joined(separator: " ")
  }
}

/// Two signed strings line by line, with the differing parts of the lines.
struct LineComparison: Sendable {
  /// A line of one string, split at the part in which it differs from the line of the other string.
  struct Line: Sendable, Hashable {
    /// The beginning that both lines have in common; the whole line if the lines are equal.
    let before: String
    /// The part that differs, or an empty string.
    let difference: String
    /// The end that both lines have in common.
    let after: String

    var text: String { "\(before)\(difference)\(after)" }
  }

  /// The lines of both strings that belong together; one of them is `nil` if it has no counterpart.
  struct Row: Sendable, Hashable {
    let client: Line?
    let service: Line?
    let differs: Bool
  }

  let rows: [Row]

  /// The maximum number of pairs of lines that are compared to align the strings.
  private static let pairLimit = 100_000

  /// Creates a comparison of two strings.
  init(client: String, service: String) {
    let (first, second) = (Self.lines(of: client), Self.lines(of: service))
    var rows: [Row] = []
    var (i, j) = (0, 0)
    for (nextI, nextJ) in Self.commonLines(first, second) + [(first.count, second.count)] {
      // Lines between two common lines replace each other in their order.
      while i < nextI || j < nextJ {
        rows.append(Self.row(i < nextI ? first[i] : nil, j < nextJ ? second[j] : nil))
        if i < nextI { i += 1 }
        if j < nextJ { j += 1 }
      }
      guard nextI < first.count, nextJ < second.count else { break }
      rows.append(Self.row(first[nextI], second[nextJ]))
      (i, j) = (nextI + 1, nextJ + 1)
    }
    self.rows = rows
  }

  /// Returns the lines of a string in a form that is safe to show.
  private static func lines(of text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String($0)?.onOneLine ?? "" }
  }

  /// Returns the indices of a longest common subsequence in ascending order, or no indices for very many lines.
  private static func commonLines(_ first: [String], _ second: [String]) -> [(Int, Int)] {
    let width = second.count + 1
    // Without common lines, all lines are compared by their position.
    guard first.count * width <= pairLimit else { return [] }
    var lengths = [Int32](repeating: 0, count: (first.count + 1) * width)
    for i in first.indices.reversed() {
      for j in second.indices.reversed() {
        lengths[i * width + j] =
          first[i].isIdentical(to: second[j])
          ? lengths[(i + 1) * width + j + 1] + 1
          : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
      }
    }
    var (i, j) = (0, 0)
    var common: [(Int, Int)] = []
    while i < first.count, j < second.count {
      if first[i].isIdentical(to: second[j]) {
        common.append((i, j))
        (i, j) = (i + 1, j + 1)
      } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return common
  }

  private static func row(_ client: String?, _ service: String?) -> Row {
    guard let client, let service else {
      func line(_ text: String?) -> Line? { text.map { Line(before: "", difference: $0, after: "") } }
      return Row(client: line(client), service: line(service), differs: true)
    }
    let (first, second) = (Array(client.unicodeScalars), Array(service.unicodeScalars))
    var start = 0
    while start < min(first.count, second.count), first[start] == second[start] { start += 1 }
    var end = 0
    while end < min(first.count, second.count) - start, first[first.count - 1 - end] == second[second.count - 1 - end] {
      end += 1
    }
    func line(_ scalars: [Unicode.Scalar]) -> Line {
      func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }
      return Line(
        before: text(0..<start), difference: text(start..<scalars.count - end),
        after: text(scalars.count - end..<scalars.count))
    }
    return Row(client: line(first), service: line(second), differs: start < max(first.count, second.count))
  }
}
