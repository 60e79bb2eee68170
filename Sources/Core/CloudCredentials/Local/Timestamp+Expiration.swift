// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension Timestamp {
  /// Parses an expiration from ISO 8601 or Unix time, or returns `nil` if the text is neither.
  ///
  /// The parser is more lenient than the vendors' tools: ISO 8601 may have a fraction, and `Z` or an offset.
  init?(expiration text: String) {
    if let instant = Timestamp(iso8601: text) ?? Timestamp(iso8601Basic: text) {
      self = instant
    } else if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let time = Int64(text) {
      self.init(expiration: time)
    } else {
      return nil
    }
  }

  /// Creates a time from Unix time in seconds, or in milliseconds if the number is 10,000,000,000 (the year 2286) or
  /// greater.
  ///
  /// Such numbers, read as milliseconds, are dates from April 1970 on. No credential is that old, and no credential is
  /// valid until 2286.
  init(expiration unixTime: Int64) {
    self.init(unixSeconds: unixTime >= 10_000_000_000 ? unixTime / 1000 : unixTime)
  }
}
