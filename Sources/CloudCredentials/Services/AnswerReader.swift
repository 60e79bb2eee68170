internal import StorageAuth
internal import StorageJSON

/// Reads the parts of a credential from JSON, and says which part is missing or wrong.
struct AnswerReader: Sendable {
  /// The name of the provider.
  let source: String
  /// What to do about an answer that cannot be read.
  let remedy: String

  func malformed(_ message: String, isRetryable: Bool = false) -> CredentialError {
    CredentialError(.malformedAnswer, source: source, message, remedy: remedy, isRetryable: isRetryable)
  }

  /// The JSON object of an answer; one that is none may have been cut off, so asking again can help.
  func object(_ answer: ServiceAnswer) throws(CredentialError) -> JSONObject {
    guard let object = answer.object else { throw malformed(answer.unreadable, isRetryable: true) }
    return object
  }

  /// A text that has to be there, under the first of several names.
  func text(_ names: [String], in object: JSONObject) throws(CredentialError) -> String {
    guard let (name, value) = object.first(names) else {
      throw malformed("The answer has no field \(names.joined(separator: " or ")).")
    }
    guard let text = value.string else { throw malformed("The field \(name) is not a text.") }
    guard !text.isEmpty else { throw malformed("The field \(name) is empty.") }
    return text
  }

  /// An instant, under the first of several names; nothing if none is there.
  ///
  /// Read are ISO 8601 and Unix time, the latter as a number or a text, in seconds or milliseconds.
  func instant(_ names: [String], in objects: [JSONObject]) throws(CredentialError) -> Timestamp? {
    for object in objects {
      guard let (name, value) = object.first(names) else { continue }
      guard let time = Self.instant(value) else {
        throw malformed("The field \(name) is not a time: neither ISO 8601 in UTC nor Unix time.")
      }
      guard Timestamp.plausible.contains(time) else { throw malformed(Self.problem(name, time, value)) }
      return time
    }
    return nil
  }

  /// What is wrong with a time that no credential of today starts or ends at.
  private static func problem(_ name: String, _ time: Timestamp, _ value: JSONValue) -> String {
    let isEnd = name.lowercased().hasPrefix("expir")
    if !isWritten(value), time.unixSeconds <= 0 {
      return
        "The field \(name) is \(time.unixSeconds), which is no time of a credential: it has to be Unix time in seconds."
    }
    if !isWritten(value), time.unixSeconds <= longestDuration {
      return
        "The field \(name) is \(time.unixSeconds), which looks like a duration in seconds: it has to be the instant itself, as Unix time."
    }
    if time < Timestamp.plausible.lowerBound {
      return isEnd
        ? "The credential ended at \(time), as the field \(name) says; the sample answers of the vendors have such dates."
        : "The field \(name) is \(time), which is before any credential of today."
    }
    return "The field \(name) is \(time), which is too far ahead: Unix time is counted in seconds or milliseconds."
  }

  /// Ten years: Unix time below it is before 1980.
  private static let longestDuration: Int64 = 10 * 365 * 86_400

  /// Whether a time is written with its date, and not as a number.
  private static func isWritten(_ value: JSONValue) -> Bool {
    value.string.map { Int64($0.trimmingBlanks()) == nil } ?? false
  }

  private static func instant(_ value: JSONValue) -> Timestamp? {
    switch value {
    case .number(let number):
      return Double(number.digits).flatMap { Int64(exactly: $0.rounded(.down)) }.map { Timestamp(unix: $0) }
    case .string(let text):
      let text = text.trimmingBlanks()
      return Int64(text).map { Timestamp(unix: $0) } ?? Timestamp(iso8601: text)
    default: return nil
    }
  }

  /// Puts a temporary key together, and checks that it can be used.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - secret: The secret.
  ///   - token: The session token.
  ///   - start: From when the key is valid, where the issuer says so.
  ///   - expiration: When it ends.
  ///   - issuerTime: The present by the issuer's clock.
  func issued(
    id: String, secret: String, token: String, start: Timestamp? = nil, expiration: Timestamp, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let key = AccessKey(id: id, secret: secret, sessionToken: token, start: start, expiration: expiration)
    return try issued(key, at: issuerTime)
  }

  /// Checks that a key can be used.
  func issued(_ key: AccessKey, at issuerTime: Timestamp?) throws(CredentialError) -> IssuedCredential<AccessKey> {
    do {
      try key.check()
    } catch {
      throw malformed("The answer cannot be used. \(error.message)")
    }
    if let start = key.start, let end = key.expiration, start >= end {
      throw malformed("The credential starts at \(start) and ends at \(end), which is no later.")
    }
    if let issuerTime, let end = key.expiration, end <= issuerTime {
      throw malformed("The credential ended at \(end); the issuer's clock shows \(issuerTime).", isRetryable: true)
    }
    return IssuedCredential(key, issuerTime: issuerTime)
  }
}

extension Timestamp {
  /// Unix time in seconds or, above 2010-01-01 counted in milliseconds, in those.
  fileprivate init(unix number: Int64) {
    self.init(unixSeconds: number > 1_262_304_000_000 ? number / 1000 : number)
  }
}
