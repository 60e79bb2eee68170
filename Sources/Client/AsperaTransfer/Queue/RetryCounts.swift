// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The consecutive retries of a session by kind, and the progress of its attempts.
struct RetryCounts {
  /// The number of consecutive token refreshes after the server rejected a token.
  var token = 0
  /// The number of consecutive retries after a network or server failure.
  var transport = 0
  /// The number of consecutive retries of a request to the issuer.
  var issuer = 0
  /// The number of consecutive tokens whose remaining lifetime was too short when an attempt was about to start.
  var stale = 0
  private var bytes: Int64 = 0
  private var files = 0
  private var best: (bytes: Int64, files: Int) = (0, 0)

  /// Starts an attempt, whose numbers of bytes and files are zero.
  mutating func beginAttempt() {
    bytes = 0
    files = 0
  }

  /// Records the number of bytes that the current attempt has transferred.
  mutating func note(bytes count: Int64) {
    bytes = max(bytes, count)
  }

  /// Records that the current attempt has transferred or skipped one more file.
  mutating func noteFile() {
    files += 1
  }

  /// Ends an attempt, and resets the retry counts of tokens and transport if the attempt made more progress than all
  /// before.
  mutating func settle() {
    guard bytes > best.bytes || files > best.files else { return }
    best = (max(bytes, best.bytes), max(files, best.files))
    token = 0
    transport = 0
  }
}
