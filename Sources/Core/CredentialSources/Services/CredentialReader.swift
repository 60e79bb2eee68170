// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A reader of the fields of a credential in a JSON response, whose errors name the missing or invalid field.
package struct CredentialReader: Sendable {
  package let source: String
  package let remedy: String

  package init(source: String, remedy: String) {
    self.source = source
    self.remedy = remedy
  }

  package func malformed(
    _ message: String, isRetryable: Bool = false, underlying: (any Error)? = nil
  ) -> CredentialError {
    CredentialError(
      .malformedResponse, source: source, message, remedy: remedy, isRetryable: isRetryable, underlying: underlying)
  }

  /// Returns the JSON object of a response; without one the error is retryable, as the response may be truncated.
  package func object(_ response: ServiceResponse) throws(CredentialError) -> JSONObject {
    guard let object = response.object else { throw malformed(response.unreadableMessage, isRetryable: true) }
    return object
  }

  /// Returns the string in the first present field out of `names`, which must not be empty.
  package func text(_ names: [String], in object: JSONObject) throws(CredentialError) -> String {
    guard let (name, value) = object.first(names) else {
      throw malformed("The response has no field \(names.joined(separator: " or ")).")
    }
    guard let text = value.string else { throw malformed("The field \(name) is not a string.") }
    guard !text.isEmpty else { throw malformed("The field \(name) is empty.") }
    return text
  }

  /// Returns the time in the first present field out of `names`, or `nil` if no such field is present.
  ///
  /// The time is in ISO 8601 or is Unix time, as a number or a string, in seconds or milliseconds.
  package func time(_ names: [String], in objects: [JSONObject]) throws(CredentialError) -> Timestamp? {
    for object in objects {
      guard let (name, value) = object.first(names) else { continue }
      guard let time = Self.time(in: value) else {
        throw malformed("The field \(name) is not a time: neither ISO 8601 in UTC nor Unix time.")
      }
      guard Timestamp.plausible.contains(time) else {
        throw malformed(Self.message(aboutImplausible: time, in: name, value))
      }
      return time
    }
    return nil
  }

  private static func message(aboutImplausible time: Timestamp, in name: String, _ value: JSONValue) -> String {
    let isDateText = value.string.map { Int64($0.trimmingASCIIWhitespace()) == nil } ?? false
    // A small number is probably not a time at all; only a larger one, and a date, can be too early.
    if !isDateText, time.unixSeconds <= 0 {
      return
        "The field \(name) is \(time.unixSeconds), which cannot be the time of a credential: it must be Unix time in seconds."
    }
    if !isDateText, time.unixSeconds <= maximumDuration {
      return
        "The field \(name) is \(time.unixSeconds), which looks like a duration in seconds: it must be the time itself, as Unix time."
    }
    if time < Timestamp.plausible.lowerBound {
      return name.lowercased().hasPrefix("expir")
        ? "The credential expired at \(time) according to the field \(name); the vendors' sample responses have such dates."
        : "The field \(name) is \(time), which is too early for a current credential."
    }
    return "The field \(name) is \(time), which is too far ahead: Unix time is counted in seconds or milliseconds."
  }

  /// The maximum duration that a number in a time field is taken for, ten years in seconds; as Unix time, before 1980.
  private static let maximumDuration: Int64 = 10 * 365 * 86_400

  private static func time(in value: JSONValue) -> Timestamp? {
    switch value {
    case .number(let number):
      return Double(number.digits).flatMap { Int64(exactly: $0.rounded(.down)) }.map { Timestamp(unix: $0) }
    case .string(let text):
      let text = text.trimmingASCIIWhitespace()
      return Int64(text).map { Timestamp(unix: $0) } ?? Timestamp(iso8601: text)
    default: return nil
    }
  }

  /// Returns a key after checking its fields, that it starts before it expires, and that it is valid for the issuer.
  package func issued(
    _ key: AccessKey, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    do {
      try key.check(idWithout: [])
    } catch { throw malformed("The response cannot be used. \(error.message)") }
    if let start = key.start, let expiration = key.expiration, start >= expiration {
      throw malformed("The credential starts at \(start) but expires at \(expiration), which is no later.")
    }
    if let issuerTime, let expiration = key.expiration, expiration <= issuerTime {
      throw malformed(
        "The credential expired at \(expiration); the issuer's clock shows \(issuerTime).", isRetryable: true)
    }
    return IssuedCredential(key, issuerTime: issuerTime)
  }
}

extension CredentialReader {
  package init(ofTokenService source: String) {
    self.init(source: source, remedy: "Check that the endpoint is the vendor's; a proxy may answer in its place.")
  }

  /// Returns the temporary key in `fields`, whose expiration is in the first of `expirationNames` in `object`.
  package func key(
    _ names: (id: String, secret: String, token: String), in fields: JSONObject,
    expirationNames: [String] = ["Expiration"], expirationIn object: JSONObject, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let id = try text([names.id], in: fields)
    let secret = try text([names.secret], in: fields)
    let token = try text([names.token], in: fields)
    guard let expiration = try time(expirationNames, in: [object]) else {
      throw malformed("The response has no field \(expirationNames.joined(separator: " or ")).")
    }
    return try issued(
      AccessKey(id: id, secret: secret, sessionToken: token, expiration: expiration), at: issuerTime)
  }
}

extension Timestamp {
  /// Creates a time from Unix time in seconds, or in milliseconds above 1,262,304,000,000 (2010-01-01 in milliseconds).
  fileprivate init(unix number: Int64) { self.init(unixSeconds: number > 1_262_304_000_000 ? number / 1000 : number) }
}

extension JSONObject {
  /// Returns the first member whose name is in `names`, in the order of `names`.
  package func first(_ names: [String]) -> (name: String, value: JSONValue)? {
    for name in names {
      if let value = self[name] { return (name, value) }
    }
    return nil
  }
}
