// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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

  private var scheme: String? { if case .verified(let kind) = request.authorization { kind.rawValue } else { nil } }
}

/// The explanation of a rejected signature: the cause, the remedy, and the strings of both sides.
struct Explanation: Sendable {
  let title: String
  private let diagnosis: SignatureDiagnosis
  private let strings: [ComparedString]
  /// The extent to which the strings of the client are known.
  private let basis: RejectionReport.Basis

  init?(_ rejected: RejectedSignature) {
    guard let report = Self.report(of: rejected), let diagnosis = report.diagnosis else { return nil }
    self.diagnosis = diagnosis
    // These two causes remain if no common mistake explains the signature.
    title = diagnosis.cause == .unknown ? "wrong secret, or another string" : diagnosis.cause.title
    basis = report.basis
    let (client, service) = (report.clientTexts, report.serviceTexts)
    strings = [
      ComparedString("String to sign", client: client?.stringToSign, service: service?.stringToSign),
      ComparedString("Canonical request", client: client?.canonicalRequest, service: service?.canonicalRequest),
    ].compactMap(\.self)
  }

  private static func report(of rejected: RejectedSignature) -> RejectionReport? {
    guard let cloud = CloudName(where: { $0.name == rejected.provider.rawValue })?.cloud else { return nil }
    return RejectionReport(
      of: RejectedResponse(rejected.response, body: rejected.document), to: rejected.request,
      signedFor: cloud.signedService(region: rejected.region, BucketAddress(bucket: nil, style: nil)),
      region: rejected.region, isMismatch: rejected.isMismatch,
      search: rejected.key.map { SignatureSearch(key: $0, others: rejected.others, fits: rejected.fits) })
  }

  var json: JSONValue {
    [
      "title": .safeText(title), "text": .safeText(diagnosis.explanation), "remedy": .safeText(diagnosis.remedy),
      "basis": .string(basis.rawValue), "line": .safeText(diagnosis.line), "sent": .safeText(diagnosis.sent),
      "seen": .safeText(diagnosis.received), "others": .array(diagnosis.otherLines.map { .safeText($0) }),
      "strings": .array(strings.map { $0.json(marking: signingTimes) }),
    ]
  }

  /// The forms in which signed strings contain the signing time, if the rejection concerns it.
  private var signingTimes: [String] {
    guard [.clockSkew, .notYetValid, .expired].contains(diagnosis.cause),
      let instant = diagnosis.sent.flatMap({ Timestamp(iso8601: $0) })
    else { return [] }
    return [instant.iso8601Basic, instant.httpDate, String(instant.unixSeconds)]
  }
}

/// A string to sign or a canonical request, compared line by line if the strings of both sides are known.
struct ComparedString: Sendable {
  private let name: String
  private let comparison: LineComparison
  private let hasBothSides: Bool

  init?(_ name: String, client: String?, service: String?) {
    guard let knownString = client ?? service else { return nil }
    self.name = name
    hasBothSides = client != nil && service != nil
    comparison = LineComparison(client: client ?? knownString, service: service ?? knownString)
  }

  /// Returns the rows as the page shows them; a single string of either side is in the column of the service.
  func json(marking signingTimes: [String]) -> JSONValue {
    let rows = comparison.rows.map { row -> JSONValue in
      let hasSigningTime = signingTimes.contains { row.client?.text.contains($0) ?? false }
      return [
        "client": hasBothSides ? Self.json(row.client) : .null, "service": Self.json(row.service),
        "differs": .bool(row.differs || hasSigningTime),
      ]
    }
    return ["name": .string(name), "pair": .bool(hasBothSides), "rows": .array(rows)]
  }

  private static func json(_ line: LineComparison.Line?) -> JSONValue {
    guard let line else { return .null }
    return [.string(line.commonPrefix), .string(line.difference), .string(line.commonSuffix)]
  }
}

extension SignatureDiagnosis.Cause {
  /// The cause in words: `contentTypeAdded` becomes `content type added`.
  fileprivate var title: String {
    let words = rawValue.replacing(/([^A-Z])([A-Z])/) { "\($0.1) \($0.2)" }.split(separator: " ")
    // An abbreviation keeps its capital letters.
    return words.map { $0.dropFirst().contains(where: \.isUppercase) ? String($0) : $0.lowercased() }
      .joined(separator: " ")
  }
}
