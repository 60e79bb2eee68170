// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth

/// An engine that runs transfers, such as ascp.
public protocol TransferEngine: Sendable {
  /// Runs one attempt.
  ///
  /// Cancelling the task stops the transfer in an orderly way: when the method returns, no process, file or port of it
  /// remains.
  ///
  /// - Parameters:
  ///   - spec: The signed specification, which contains account and token.
  ///   - additions: The paths that are added to a persistent session, in the order in which they must be sent; the
  ///     session ends when the sequence does. `nil` for a transfer whose paths are in `spec`.
  ///   - report: A function that receives the reports of the attempt, one call after the other.
  /// - Returns: The transferred bytes and files.
  /// - Throws: A ``TransferFailure`` whose kind determines how a queue continues.
  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary
}

/// A report of an engine about a transfer in progress.
public enum TransferReport: Sendable, Hashable {
  /// The transfer has started and connects; the server has not accepted account and token yet.
  case connecting
  /// The server has accepted the account and the token, and the session runs.
  case running
  /// The progress of the transfer has changed.
  case progress(TransferProgressReport)
  /// A file was transferred, was skipped or failed.
  case file(TransferFileReport)
}

/// The progress of a transfer.
public struct TransferProgressReport: Sendable, Hashable {
  /// The number of content bytes transferred so far, including those of finished files.
  public var bytes: Int64
  /// The total number of content bytes, or `nil` if it is not known.
  public var totalBytes: Int64?
  /// The current file, or `nil` if it is not known.
  public var file: String?

  /// Creates a progress report.
  ///
  /// - Parameters:
  ///   - bytes: The number of content bytes transferred so far, including those of finished files.
  ///   - totalBytes: The total number of content bytes, or `nil` if it is not known.
  ///   - file: The current file, or `nil` if it is not known.
  public init(bytes: Int64, totalBytes: Int64? = nil, file: String? = nil) {
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.file = file
  }
}

/// The result of one file of a transfer.
public struct TransferFileReport: Sendable, Hashable {
  /// The kinds of results of a file.
  public enum Outcome: Sendable, Hashable {
    /// The file was transferred.
    case done
    /// The file was skipped because the destination already had it.
    case skipped
    /// The file was not transferred; contains the engine's code and text.
    case failed(code: Int, text: String)
  }

  /// The name of the file as the engine reports it.
  public var file: String
  /// The size of the file in bytes, or `nil` if it was not reported.
  public var bytes: Int64?
  /// The result of the file.
  public var outcome: Outcome

  /// Creates the report of a file.
  ///
  /// - Parameters:
  ///   - file: The name of the file as the engine reports it.
  ///   - bytes: The size of the file in bytes, or `nil` if it was not reported.
  ///   - outcome: The result of the file.
  public init(file: String, bytes: Int64? = nil, outcome: Outcome) {
    self.file = file
    self.bytes = bytes
    self.outcome = outcome
  }
}

/// The transferred bytes and files.
public struct TransferSummary: Sendable, Hashable {
  /// The number of transferred content bytes.
  public var bytes: Int64
  /// The number of files that were transferred or skipped.
  public var files: Int

  /// Creates the summary of a successful transfer.
  ///
  /// - Parameters:
  ///   - bytes: The number of transferred content bytes.
  ///   - files: The number of files that were transferred or skipped.
  public init(bytes: Int64 = 0, files: Int = 0) {
    self.bytes = bytes
    self.files = files
  }
}
