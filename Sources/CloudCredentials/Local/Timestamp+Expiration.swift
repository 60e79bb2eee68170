internal import StorageAuth

extension Timestamp {
  /// Reads when a credential ends, more leniently than the vendors do: ISO 8601 with or without a fraction, with `Z` or
  /// an offset, or Unix time in digits.
  init?(expiration text: String) {
    if let instant = Timestamp(iso8601: text) ?? Timestamp(iso8601Basic: text) {
      self = instant
    } else if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let time = Int64(text) {
      self.init(expiration: time)
    } else {
      return nil
    }
  }

  /// Reads Unix time in seconds or, from the year 2286 on, in milliseconds: from there on, milliseconds are dates since
  /// April 1970, and no credential is that old or lives that long.
  init(expiration unixTime: Int64) {
    self.init(unixSeconds: unixTime >= 10_000_000_000 ? unixTime / 1000 : unixTime)
  }
}
