internal import ArgumentParser
internal import SigningJobs
internal import StorageAuth

/// Signs requests that come as lines of JSON.
enum LineSigning {
  /// Answers every line of standard input, in its order.
  ///
  /// - Parameter mode: What a line without a mode asks for.
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
