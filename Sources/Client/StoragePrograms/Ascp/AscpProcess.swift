// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth
internal import StorageClient
internal import Subprocess
internal import SystemPackage

/// An ascp process in its own session and process group (`setsid`), with an empty standard input.
///
/// The process is started once and awaited until it has ended. Cancelling the task kills the process group.
struct AscpProcess: Sendable {
  /// The way in which a process ended.
  enum Ending: Sendable, Hashable {
    case exited(Int32)
    case signalled(Int32)
    /// The task was cancelled, which kills the process if it still runs.
    case killed
    /// The process could not be started for the given reason.
    case notStarted(String)
  }

  /// The treatment of processes in the group that outlive ascp.
  enum ChildTreatment: Sendable { case kill, leave }

  let program: String
  let arguments: [String]
  let environment: [String: Secret]
  let printedLimit: Int

  /// Starts ascp, and waits until the process has ended.
  ///
  /// SIGTERM is sent to the process group for each element of `terminations`. The process is reaped only after
  /// `waitUntilOver` has returned, when no more output and no more frames are expected, so that the ID of the process
  /// group cannot have been reused.
  ///
  /// - Returns: The way in which the process ended, and the end of its standard output and standard error, combined.
  func run(
    terminations: AsyncStream<Void> = AsyncStream { $0.finish() },
    waitUntilOver: @escaping @Sendable () async -> ChildTreatment = { .leave }
  ) async -> (ending: Ending, printed: String) {
    do {
      let ended = try await Subprocess.run(
        .path(FilePath(program)), arguments: Arguments(arguments),
        environment: .only(environment.mapValues { $0.reveal() }), platformOptions: .ownSession, input: .none,
        output: .sequence, error: .combinedWithOutput
      ) { execution in
        await withTaskGroup(of: Void.self) { group in
          // A signal fails only if the group has ended, as it was meant to.
          group.addTask {
            for await _ in terminations { try? execution.send(signal: .terminate, toProcessGroup: true) }
          }
          defer { group.cancelAll() }
          let printed = await Self.read(execution.standardOutput, limit: printedLimit)
          if await waitUntilOver() == .kill { try? execution.send(signal: .kill, toProcessGroup: true) }
          return printed
        }
      }
      if Task.isCancelled { return (.killed, ended.closureResult) }
      switch ended.terminationStatus {
      case .exited(let status): return (.exited(status), ended.closureResult)
      case .signaled(let signal): return (.signalled(signal), ended.closureResult)
      }
    } catch { return (Task.isCancelled ? .killed : .notStarted(Self.reason(for: error, program)), "") }
  }

  private static func read(_ output: SubprocessOutputSequence, limit: Int) async -> String {
    var printedTail = PrintedTail(limit: limit)
    do {
      for try await buffer in output {
        var bytes = ByteBuffer()
        bytes.writeBytes(buffer.bytes)
        printedTail.append(bytes.readableBytesView)
      }
    } catch {
      // Only the output that was read before the error can be reported.
    }
    return printedTail.text
  }

  private static func reason(for error: any Error, _ program: String) -> String {
    guard let error = error as? SubprocessError else { return "it could not be launched" }
    return error.underlyingError.map { "\($0)" } ?? "there is no program that may be executed"
  }
}

/// A buffer for the last `limit` bytes of a program's output.
struct PrintedTail: Sendable {
  private let limit: Int
  private var bytes: [UInt8] = []

  init(limit: Int) { self.limit = max(0, limit) }

  mutating func append(_ newBytes: some Collection<UInt8>) {
    bytes.append(contentsOf: newBytes.suffix(limit))
    // Discarding moves the remaining bytes, so bytes are discarded only once per `limit` bytes.
    if bytes.count - limit > limit { bytes.removeFirst(bytes.count - limit) }
  }

  /// The end of the output without control characters and blank lines; invalid UTF-8 is replaced, and tabs are blanks.
  var text: String {
    let text = String(decoding: bytes.suffix(limit), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      let scalars = line.unicodeScalars.map { $0 == "\t" ? " " : $0 }
      return String(String.UnicodeScalarView(scalars.filter { $0.properties.generalCategory != .control }))
    }
    return lines.filter { line in line.contains { !$0.isWhitespace } }.joined(separator: "\n")
  }
}
