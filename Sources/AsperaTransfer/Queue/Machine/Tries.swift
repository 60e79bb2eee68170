/// What has been tried again in a row, each with a count of its own, and how far the attempts came.
struct Tries {
  /// Tokens that were renewed because the server refused them.
  var token = 0
  /// Attempts that were repeated because of the network or the server.
  var transport = 0
  /// Questions to the issuer that were repeated.
  var issuer = 0
  /// Tokens that had become too short-lived when the start was due.
  var stale = 0
  private var bytes: Int64 = 0
  private var files = 0
  private var best: (bytes: Int64, files: Int) = (0, 0)

  /// An attempt begins; it may count from nothing again.
  mutating func beginAttempt() {
    bytes = 0
    files = 0
  }

  /// The attempt has moved so many bytes.
  mutating func note(bytes count: Int64) {
    bytes = max(bytes, count)
  }

  /// The attempt has done a file more.
  mutating func noteFile() {
    files += 1
  }

  /// The attempt has ended: if it came further than all before, everything may be tried as often as at the beginning.
  mutating func settle() {
    guard bytes > best.bytes || files > best.files else { return }
    best = (max(bytes, best.bytes), max(files, best.files))
    token = 0
    transport = 0
  }
}
