// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import SigningJobs
internal import StorageAuth

/// Signing of requests that are read as lines of JSON.
enum LineSigning {
  /// Signs the request on every line of standard input, and prints one line of JSON for each, in the same order.
  ///
  /// - Parameter mode: The mode of a line that names none.
  /// - Throws: Exit status 1 if a line could not be signed.
  static func run(_ mode: SigningJob.Mode) throws {
    var hasFailed = false
    while let line = readLine() {
      if line.allSatisfy(\.isWhitespace) { continue }
      let answer = SignedLine(answering: line, defaultMode: mode, now: .now)
      hasFailed = hasFailed || answer.error != nil
      Terminal.json(answer.json)
    }
    if hasFailed { throw ExitCode.failure }
  }
}
