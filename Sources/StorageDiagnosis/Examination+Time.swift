internal import HTTPTypes
internal import StorageAuth

extension Examination {
  /// A request that was signed for another time.
  var skew: SignatureDiagnosis {
    let signed = answer.instant("RequestTime") ?? sent.signedAt
    guard let signed, let server = answer.serverTime else { return SignatureDiagnosis(.clockSkew) }
    let difference = signed.duration(to: server)
    let direction = difference < .zero ? "ahead of" : "behind"
    let isWindow = sent.service.provider == .cos && difference < .zero
    return SignatureDiagnosis(
      isWindow ? .notYetValid : .clockSkew, line: isWindow ? LinePart.window.name : LinePart.signingTime.name,
      sent: signed.iso8601, seen: server.iso8601,
      detail: "The request was signed for \(signed), \(difference.magnitude.inWords) \(direction) the service.")
  }

  /// A signature that is past its end.
  var expiry: SignatureDiagnosis {
    let end = answer.instant("Expires") ?? sent.end
    guard let end, let server = answer.serverTime else { return SignatureDiagnosis(.expired) }
    let line = sent.service.provider == .cos ? LinePart.window.name : "end of the URL"
    return SignatureDiagnosis(
      .expired, line: line, sent: end.iso8601, seen: server.iso8601,
      detail: "It ended at \(end), \(end.duration(to: server).magnitude.inWords) before the service looked.")
  }
}

extension RefusedAnswer {
  /// An instant among the details.
  func instant(_ name: String) -> Timestamp? { details[name].flatMap { Timestamp(iso8601: $0) } }

  /// The service's time.
  var serverTime: Timestamp? {
    instant("ServerTime") ?? headers[.date].flatMap { Timestamp(httpDate: $0) }
  }

  /// The text that the service signed.
  var stringToSign: String? { details["StringToSign"] }

  /// The text whose hash is in it.
  var canonicalRequest: String? { details["CanonicalRequest"] ?? details["FormatString"] }
}

extension Duration {
  /// The duration for people, in whole seconds.
  var inWords: String {
    let seconds = components.seconds
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
      .filter { $0.0 > 0 }
    return parts.isEmpty ? "0 s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
