// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageAuth
internal import StorageDiagnosis

/// A request as the console shows it, with control characters escaped and secrets masked.
struct RequestReport: Sendable {
  private let request: LocalCloud.RequestEvent
  private let explanation: Explanation?

  init(_ request: LocalCloud.RequestEvent) {
    self.request = request
    explanation = request.rejectedSignature.flatMap { Explanation($0) }
  }

  func summary(number: Int) -> JSONValue {
    [
      "n": .integer(number), "time": .string(request.date.iso8601), "endpoint": .string(request.endpoint.rawValue),
      "method": .safeText(request.method), "target": .safeText(request.target), "bucket": .safeText(request.bucket),
      "key": .safeText(request.key), "keyID": .safeText(request.accessKeyID?.string),
      "presigned": .bool(request.isPresigned), "authorization": .string(authorization), "scheme": .safeText(scheme),
      "outcome": .string(request.outcome.rawValue), "status": .integer(request.status),
      "code": .safeText(request.refusal?.code), "message": .safeText(request.refusal?.message),
      "cause": .safeText(explanation?.title), "microseconds": .integer(request.duration.microseconds),
      "received": .integer(request.requestByteCount), "sent": .integer(request.responseByteCount),
    ]
  }

  /// The headers of the request and the response, and the explanation if the signature was rejected.
  var detail: JSONValue {
    func pairs(_ headers: [LocalCloud.RequestEvent.Header]) -> JSONValue {
      .array(headers.map { [.safeText($0.name), .safeText($0.value)] })
    }
    return [
      "request": pairs(request.requestHeaders), "response": pairs(request.responseHeaders),
      "explanation": explanation?.json ?? .null,
    ]
  }

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
  let title: String
  private let diagnosis: SignatureDiagnosis
  /// The string to sign and the canonical request; `isPair` means that the strings of both sides are known.
  private let strings: [(name: String, comparison: LineComparison, isPair: Bool)]
  private let basis: String

  /// Explains a rejection, or returns `nil` if it does not concern the signature.
  init?(_ rejected: RejectedSignature) {
    guard let cloud = CloudName(argument: rejected.provider.rawValue)?.cloud else { return nil }
    let service = cloud.service(region: rejected.region, BucketAddress(bucket: nil, style: nil))
    let report = RejectionReport(
      of: RejectedResponse(rejected.response, body: rejected.document), to: rejected.request, signedFor: service,
      region: rejected.region, isMismatch: rejected.isMismatch,
      search: rejected.key.map { SignatureSearch(key: $0, others: rejected.others, fits: rejected.fits) })
    guard let diagnosis = report.diagnosis else { return nil }
    self.diagnosis = diagnosis
    title = diagnosis.cause == .unknown ? "wrong secret, or another string" : diagnosis.cause.title
    basis = report.basis.rawValue
    let client = report.clientTexts
    var strings: [(String, LineComparison, Bool)] = []
    for (name, sent, received) in [
      ("String to sign", client?.stringToSign, report.serviceTexts?.stringToSign),
      ("Canonical request", client?.canonicalRequest, report.serviceTexts?.canonicalRequest),
    ] {
      guard let either = sent ?? received else { continue }
      strings.append(
        (name, LineComparison(client: sent ?? either, service: received ?? either), sent != nil && received != nil))
    }
    self.strings = strings
  }

  var json: JSONValue {
    let signingTimes = signingTimes
    let comparisons = strings.map { name, comparison, isPair -> JSONValue in
      let rows = comparison.rows.map { row -> JSONValue in
        let isMarked = row.differs || signingTimes.contains { row.client?.text.contains($0) ?? false }
        return [
          "client": isPair ? Self.json(row.client) : .null, "service": Self.json(row.service ?? row.client),
          "differs": .bool(isMarked),
        ]
      }
      return ["name": .string(name), "pair": .bool(isPair), "rows": .array(rows)]
    }
    return [
      "title": .safeText(title), "text": .safeText(diagnosis.explanation), "remedy": .safeText(diagnosis.remedy),
      "basis": .string(basis), "line": .safeText(diagnosis.line), "sent": .safeText(diagnosis.sent),
      "seen": .safeText(diagnosis.received), "others": .array(diagnosis.otherLines.map { .safeText($0) }),
      "strings": .array(comparisons),
    ]
  }

  private static func json(_ line: LineComparison.Line?) -> JSONValue {
    guard let line else { return .null }
    return [.string(line.commonPrefix), .string(line.difference), .string(line.commonSuffix)]
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
  /// The cause in words: `contentTypeAdded` becomes `content type added`.
  fileprivate var title: String {
    var text = ""
    var previous: Character = " "
    for character in rawValue {
      if character.isUppercase, !previous.isUppercase { text += " " }
      text.append(character)
      previous = character
    }
    return text.split(separator: " ").map { word in
      word.dropFirst().contains(where: \.isUppercase) ? String(word) : word.lowercased()
    }.joined(separator: " ")
  }
}
