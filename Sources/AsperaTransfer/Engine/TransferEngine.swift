public import AsperaAuth

/// What carries out transfers: ascp, or something that stands in for it.
public protocol TransferEngine: Sendable {
  /// Carries out one attempt.
  ///
  /// Cancelling the task stops the transfer in an orderly way: when this returns, nothing of it is left.
  ///
  /// - Parameters:
  ///   - spec: The transfer, signed: account and token are in it.
  ///   - additions: Further paths of a persistent session, in the order in which they are to go; the session ends when the
  ///     sequence does. Nothing for a transfer whose paths are in `spec`.
  ///   - report: Is called for what happens, one call after the other.
  /// - Returns: What was transferred.
  /// - Throws: A ``TransferFailure`` that says what kind of failure it was.
  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary
}

/// What an engine tells while a transfer goes on.
public enum TransferReport: Sendable, Hashable {
  /// It has started and connects; nothing is proven yet.
  case connecting
  /// The server has taken account and token: the session runs.
  case running
  /// So much is done.
  case progress(TransferProgressReport)
  /// A file is done.
  case file(TransferFileReport)
}

/// How far a transfer is.
public struct TransferProgressReport: Sendable, Hashable {
  /// How many bytes of content are through, files that were finished included.
  public var bytes: Int64
  /// How many there are in all, where that is known.
  public var totalBytes: Int64?
  /// The file that is under way.
  public var file: String?

  /// Describes progress.
  public init(bytes: Int64, totalBytes: Int64? = nil, file: String? = nil) {
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.file = file
  }
}

/// How a file of a transfer ended.
public struct TransferFileReport: Sendable, Hashable {
  /// How it ended.
  public enum Outcome: Sendable, Hashable {
    /// It is there.
    case done
    /// It was there already.
    case skipped
    /// It is not there: the code and the text of the engine.
    case failed(code: Int, text: String)
  }

  /// The file, as the engine names it.
  public var file: String
  /// How many bytes it has, where that was told.
  public var bytes: Int64?
  /// How it ended.
  public var outcome: Outcome

  /// Describes the end of a file.
  public init(file: String, bytes: Int64? = nil, outcome: Outcome) {
    self.file = file
    self.bytes = bytes
    self.outcome = outcome
  }
}

/// What a transfer moved.
public struct TransferSummary: Sendable, Hashable {
  /// How many bytes of content went through.
  public var bytes: Int64
  /// How many files are there.
  public var files: Int

  /// Describes a transfer that ended well.
  public init(bytes: Int64 = 0, files: Int = 0) {
    self.bytes = bytes
    self.files = files
  }
}
