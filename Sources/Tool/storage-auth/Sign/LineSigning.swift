// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import SigningJobs
internal import StorageAuth

/// The mode of `sign` and `presign` that signs requests from lines of JSON.
enum LineSigning {
  /// Signs the request in each line of standard input, and prints one line of JSON for each request, in the same order.
  ///
  /// - Parameter mode: The signing mode for lines that do not specify a mode.
  /// - Throws: Exit status 1 if a request could not be signed.
  static func run(_ mode: SigningJob.Mode) throws {
    var hasFailed = false
    while let line = readLine() {
      if line.isBlank { continue }
      let answer = SignedLine(answering: line, defaultMode: mode, now: .now)
      hasFailed = hasFailed || answer.error != nil
      Terminal.json(answer.json)
    }
    if hasFailed { throw ExitCode.failure }
  }
}
