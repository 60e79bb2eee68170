// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageCrypto

/// A table of named settings, from JSON or a section of an INI file; errors contain a setting's name and location.
package struct SettingTable: Sendable {
  package var location: SettingLocation
  private let values: [String: JSONValue]

  /// Creates a table from the members of a JSON object, of which those that are `null` count as unset.
  package init(_ object: JSONObject, at location: SettingLocation) {
    self.location = location
    values = Dictionary(object.filter { $0.value != .null }) { _, last in last }
  }

  package init(_ strings: [String: String], at location: SettingLocation) {
    self.location = location
    values = strings.mapValues { .string($0) }
  }

  /// Returns a string setting without surrounding whitespace, or `nil` if the setting is missing or empty.
  package func text(_ name: String) throws(CredentialError) -> String? {
    switch values[name] {
    case nil: return nil
    case .string(let text)?: return text.trimmed
    default: throw location.malformed("has no string in “\(name)”")
    }
  }

  /// Returns the first string setting out of `names` that is neither missing nor empty.
  package func text(_ names: [String]) throws(CredentialError) -> String? {
    for name in names {
      if let text = try text(name) { return text }
    }
    return nil
  }

  package func required(_ name: String) throws(CredentialError) -> String {
    guard let text = try text(name) else { throw location.malformed("has no “\(name)”") }
    return text
  }

  /// Returns an integer setting, which can be a number or a string, or `nil` if the setting is missing or empty.
  package func integer(_ name: String) throws(CredentialError) -> Int64? {
    switch values[name] {
    case nil: return nil
    case .number(let number)?:
      if let integer = number.integer { return Int64(integer) }
    case .string(let text)?:
      guard let digits = text.trimmed else { return nil }
      if let integer = Int64(digits) { return integer }
    default: break
    }
    throw location.malformed("has no whole number in “\(name)”")
  }

  /// Returns a Boolean setting, which can be a Boolean or a string, or `false` if the setting is missing or empty.
  package func flag(_ name: String) throws(CredentialError) -> Bool {
    switch values[name] {
    case nil: return false
    case .bool(let flag)?: return flag
    case .string(let text)?:
      switch text.trimmed?.lowercased() {
      case "true"?: return true
      case "false"?, nil: return false
      default: break
      }
    default: break
    }
    throw location.malformed("has neither true nor false in “\(name)”")
  }

  /// Returns a time setting in ISO 8601 or Unix time (a string or a number), or `nil` if it is missing, empty or 0.
  package func time(_ name: String) throws(CredentialError) -> Timestamp? {
    switch values[name] {
    case nil: return nil
    case .number(let number)?:
      guard let integer = number.integer, integer >= 0 else { break }
      return integer == 0 ? nil : Timestamp(expiration: Int64(integer))
    case .string(let text)?:
      guard let trimmed = text.trimmed else { return nil }
      if trimmed == "0" { return nil }
      if let time = Timestamp(expiration: trimmed) { return time }
    default: break
    }
    throw location.malformed("has no time in “\(name)”", remedy: "Write it as 2026-11-20T08:00:00Z or as Unix time.")
  }

  package func array(_ name: String) throws(CredentialError) -> [JSONValue] {
    switch values[name] {
    case nil: return []
    case .array(let array)?: return array
    default: throw location.malformed("has no array in “\(name)”")
    }
  }

  package func has(_ name: String) -> Bool {
    switch values[name] {
    case nil: false
    case .string(let text)?: text.trimmed != nil
    default: true
    }
  }

  /// Parses a JSON object, with or without a byte order mark; no error shows any part of the input.
  package init(json bytes: [UInt8], at location: SettingLocation) throws(CredentialError) {
    guard bytes.withoutByteOrderMark.contains(where: { $0 > UInt8(ascii: " ") }) else {
      throw location.malformed("is empty")
    }
    let document: JSONValue
    do {
      document = try JSONValue(parsing: bytes)
    } catch { throw location.malformed("is not a JSON object: \(error)") }
    guard let object = document.object else { throw location.malformed("is not a JSON object") }
    self.init(object, at: location)
  }

  package struct KeyNames {
    package var id: String
    package var secret: String
    package var token: String?
    package var expiration: String?

    package init(id: String, secret: String, token: String? = nil, expiration: String? = nil) {
      self.id = id
      self.secret = secret
      self.token = token
      self.expiration = expiration
    }
  }

  /// Returns the access key, or `nil` if both the ID and the secret are missing; an incomplete key is a mistake.
  package func key(_ names: KeyNames) throws(CredentialError) -> AccessKey? {
    let (id, secret) = (try text(names.id), try text(names.secret))
    if id == nil && secret == nil { return nil }
    guard let id, let secret else {
      let (missing, present) = id == nil ? (names.id, names.secret) : (names.secret, names.id)
      throw location.malformed("has “\(present)” but no “\(missing)”")
    }
    let token = try names.token.flatMap { name throws(CredentialError) in try text(name) }
    let expiration = try names.expiration.flatMap { name throws(CredentialError) in try time(name) }
    let key = AccessKey(id: id, secret: secret, sessionToken: token, expiration: expiration)
    do {
      try key.check(idWithout: [])
    } catch { throw location.malformed("has a key that cannot be used (\(error.message.dropLast()))") }
    return key
  }

  package func requiredKey(_ names: KeyNames) throws(CredentialError) -> AccessKey {
    guard let key = try key(names) else { throw location.malformed("has no “\(names.id)” and no “\(names.secret)”") }
    return key
  }
}

extension Timestamp {
  /// Parses ISO 8601 or Unix time, more leniently than the vendors' tools: with a fraction, and with `Z` or an offset.
  init?(expiration text: String) {
    if let date = Timestamp(iso8601: text) ?? Timestamp(iso8601Basic: text) {
      self = date
    } else if text.utf8.allSatisfy({ $0.isASCIIDigit }), let time = Int64(text) {
      self.init(expiration: time)
    } else {
      return nil
    }
  }

  /// Creates a time from Unix time in seconds, or in milliseconds from 10,000,000,000 (the year 2286) on.
  ///
  /// Read as milliseconds, such numbers are dates from April 1970 on; no credential is that old, or valid until 2286.
  init(expiration unixTime: Int64) { self.init(unixSeconds: unixTime >= 10_000_000_000 ? unixTime / 1000 : unixTime) }
}

extension AccessKey {
  package var expirationText: String { expiration.map { "\($0)" } ?? "no time" }
}

extension String {
  /// The string in quotation marks if it looks like a name, or a phrase that contains only its length.
  ///
  /// A string that does not look like a name is not shown, because it may be a misplaced secret.
  package var shownIfName: String {
    // Names of modes and types are shorter, and secrets longer.
    let isName = utf8.count <= 24 && allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") }
    return isName ? "“\(self)”" : "a text of \(utf8.count) bytes"
  }
}
