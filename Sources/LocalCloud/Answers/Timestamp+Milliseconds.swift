internal import StorageAuth

extension Timestamp {
  /// The instant as the services write it in documents: `2026-11-20T08:00:00.000Z`, always to the whole second; SDKs
  /// refuse any other fraction.
  var iso8601Milliseconds: String { iso8601.dropLast() + ".000Z" }
}
