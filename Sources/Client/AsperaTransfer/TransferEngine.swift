// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth

/// An engine that carries out transfers, for example with ascp.
public protocol TransferEngine: Sendable {
  /// Runs one attempt to carry out a transfer.
  ///
  /// Cancelling the task stops the transfer in an orderly way. On return, its processes, files and ports are gone.
  ///
  /// - Parameters:
  ///   - spec: The signed specification, which contains the account and the token.
  ///   - additions: The paths that are added to a persistent session, in the order in which they must be sent. The
  ///     session ends when the sequence ends. `nil` for a transfer whose paths are in `spec`.
  ///   - report: A function that receives the attempt's reports, one after another.
  /// - Returns: The number of transferred bytes, and that of files that were transferred or skipped.
  /// - Throws: A ``TransferFailure`` whose kind determines how a queue continues.
  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?, report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary
}

/// An engine's report about a transfer in progress.
public enum TransferReport: Sendable, Hashable {
  /// The transfer has started to connect, but the server has not yet accepted the account and the token.
  case connecting
  /// The server has accepted the account and the token, and the session is running.
  case running
  /// The progress of the transfer has changed to the given progress.
  case progress(TransferProgressReport)
  /// A file was transferred or skipped, or its transfer failed.
  case file(TransferFileReport)
}

/// A report about the progress of a transfer.
public struct TransferProgressReport: Sendable, Hashable {
  /// The number of content bytes transferred so far, including the bytes of finished files.
  public var bytes: Int64
  /// The total number of content bytes in the transfer, or `nil` if the number is unknown.
  public var totalBytes: Int64?
  /// The name of the file that is being transferred, or `nil` if the name is unknown.
  public var file: String?

  /// Creates a report about the progress of a transfer; the parameters are the properties.
  public init(bytes: Int64, totalBytes: Int64? = nil, file: String? = nil) {
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.file = file
  }
}

/// A report about the result of transferring one file.
public struct TransferFileReport: Sendable, Hashable {
  /// The result of transferring one file.
  public enum Outcome: Sendable, Hashable {
    /// The file was transferred.
    case done
    /// The file was skipped because it already exists at the destination.
    case skipped
    /// The file was not transferred because of a failure with the engine's given code and text.
    case failed(code: Int, text: String)
  }

  /// The file name that the engine reports.
  public var file: String
  /// The file size in bytes, or `nil` if the engine does not report the size.
  public var bytes: Int64?
  /// The result of transferring the file.
  public var outcome: Outcome

  /// Creates a report about the result of transferring one file; the parameters are the properties.
  public init(file: String, bytes: Int64? = nil, outcome: Outcome) {
    self.file = file
    self.bytes = bytes
    self.outcome = outcome
  }
}

/// The numbers of bytes and files of a successful transfer.
public struct TransferSummary: Sendable, Hashable {
  /// The number of content bytes that were transferred.
  public var bytes: Int64
  /// The number of files that were transferred or skipped.
  public var files: Int

  /// Creates the summary of a successful transfer; the parameters are the properties.
  public init(bytes: Int64 = 0, files: Int = 0) {
    self.bytes = bytes
    self.files = files
  }
}
