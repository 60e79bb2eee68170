// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageAuthServer

/// A temporary key in the form in which a Redis server stores it.
struct StoredKey {
  private let key: AccessKey
  /// The lifetime that the key had when the cloud issued it.
  private let lifetime: Duration
  /// The time at which the key leaves the store, according to the issuer's clock.
  private let storedUntil: Timestamp
  private let end: Timestamp

  /// The time for which the key is stored.
  ///
  /// It is shorter than half of the lifetime, so that no instance finds a key that is too old for its callers.
  let storedFor: Duration

  /// Creates the stored form of a key, or returns `nil` for a key that is not temporary or expires at once.
  init?(_ issued: IssuedCredential<AccessKey>, at date: Timestamp) {
    guard let end = issued.credential.expiration, issued.credential.sessionToken != nil else { return nil }
    let issuedAt = issued.issuerTime ?? date
    let lifetime = issuedAt.duration(to: end)
    guard lifetime > .seconds(1) else { return nil }
    key = issued.credential
    self.end = end
    self.lifetime = lifetime
    storedFor = lifetime / 2 - min(.seconds(1), lifetime / 10)
    storedUntil = issuedAt.advanced(by: storedFor)
  }

  /// Returns the key for another instance.
  ///
  /// - Parameter left: The time for which the key remains in the store.
  func shared(left: Duration) -> SharedKey {
    SharedKey(
      IssuedCredential(key, issuerTime: storedUntil.advanced(by: .zero - left), source: "redis"), lifetime: lifetime)
  }
}

extension StoredKey {
  private static let epoch = Timestamp(unixSeconds: 0)

  /// The key as a JSON object, with times in milliseconds since 1970.
  var text: String {
    var object = JSONObject()
    object["id"] = .string(key.id.string)
    object["secret"] = .string(key.secret.reveal())
    object["token"] = key.sessionToken.map { .string($0.reveal()) }
    object["start"] = key.start.map { Self.number(of: Self.epoch.duration(to: $0)) }
    object["end"] = Self.number(of: Self.epoch.duration(to: end))
    object["storedUntil"] = Self.number(of: Self.epoch.duration(to: storedUntil))
    object["lifetime"] = Self.number(of: lifetime)
    return String(decoding: JSONValue.object(object).serialized, as: UTF8.self)
  }

  /// Parses the stored form of a key.
  init?(json bytes: [UInt8]) {
    guard let object = try? JSONValue(parsing: bytes), let id = object["id"]?.string,
      let secret = object["secret"]?.string, let token = object["token"]?.string,
      let end = object["end"]?.integer, let until = object["storedUntil"]?.integer,
      let lifetime = object["lifetime"]?.integer
    else { return nil }
    self.end = Self.date(end)
    key = AccessKey(
      id: id, secret: secret, sessionToken: token, start: object["start"]?.integer.map(Self.date),
      expiration: Self.date(end))
    self.lifetime = .milliseconds(lifetime)
    storedUntil = Self.date(until)
    storedFor = .zero
  }

  private static func number(of duration: Duration) -> JSONValue { .number(JSONNumber(duration.milliseconds)) }

  private static func date(_ milliseconds: Int) -> Timestamp { epoch.advanced(by: .milliseconds(milliseconds)) }
}
