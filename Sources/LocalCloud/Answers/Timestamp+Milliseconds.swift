internal import StorageAuth

extension Timestamp {
  /// The instant as the services write it in documents: `2026-11-20T08:00:00.000Z`.
  var iso8601Milliseconds: String {
    let milliseconds = String(nanoseconds / 1_000_000)
    return iso8601.dropLast() + "." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds + "Z"
  }
}
