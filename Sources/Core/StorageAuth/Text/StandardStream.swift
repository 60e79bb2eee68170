// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A standard stream of a program, which is written without buffering and without a trap.
///
/// A reader that closes standard output, as `head` does, ends the program as SIGPIPE does, although the libraries for
/// networks ignore that signal. Any other failure of standard output is an error of the program. Failures of standard
/// error are ignored, because no stream is left that could report them.
package enum StandardStream: Int32, Sendable {
  /// Standard output, for the results of a program.
  case output = 1
  /// Standard error, for errors, notes and progress.
  case errors = 2

  /// Prints items on one line of standard output, or ends the program as ``put(_:orReport:)`` does.
  package static func print(_ items: Any..., separator: String = " ") {
    output.put(items.map { "\($0)" }.joined(separator: separator) + "\n") { errors.put("Error: \($0)\n") }
  }

  package func put(_ text: String, orReport report: (String) -> Void = { _ in }) {
    put(Array(text.utf8), orReport: report)
  }

  /// Writes bytes completely, or ends the program if standard output cannot be written: silently if the reader closed
  /// the stream, otherwise with a report and status 1.
  package func put(_ bytes: [UInt8], orReport report: (String) -> Void = { _ in }) {
    let errorNumber = unsafe bytes.withUnsafeBytes { unsafe Self.writeAll($0, to: rawValue) }
    guard let errorNumber, self == .output else { return }
    if errorNumber == EPIPE { Self.endForClosedPipe() }
    report("Standard output cannot be written: \(Self.message(for: errorNumber)).")
    exit(1)
  }

  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The number of columns of the terminal, or `nil` if the stream is no terminal or the terminal does not tell it.
  package var columnCount: Int? {
    var size = winsize()
    guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Opens the standard streams that the program was started without, so that no file takes their places.
  ///
  /// Otherwise, the first file or connection would receive the output of a closed stream. Using it remains an error.
  package static func reserve() {
    for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 {
      // The wrong direction: reading standard input, or writing the others, fails as on a closed stream.
      let opened = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
      if opened >= 0, opened != number { close(opened) }
    }
  }

  /// Writes all bytes, and returns the error number of a failure, or `nil`.
  private static func writeAll(_ bytes: UnsafeRawBufferPointer, to stream: Int32) -> Int32? {
    var remainingBytes = unsafe bytes[...]
    while unsafe !remainingBytes.isEmpty {
      let buffer = unsafe UnsafeRawBufferPointer(rebasing: remainingBytes)
      let writtenByteCount = unsafe write(stream, buffer.baseAddress, buffer.count)
      if writtenByteCount >= 0 {
        unsafe remainingBytes = remainingBytes.dropFirst(writtenByteCount)
      } else if errno == EAGAIN {
        // A terminal or a pipe that another program set to non-blocking is full.
        var writable = pollfd(fd: stream, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&writable, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  private static func message(for errorNumber: Int32) -> String {
    unsafe strerror(errorNumber).map { unsafe String(cString: $0) } ?? "error \(errorNumber)"
  }

  /// Ends the program as SIGPIPE does, which a shell shows as status 141.
  private static func endForClosedPipe() -> Never {
    _ = signal(SIGPIPE, SIG_DFL)
    var signalSet = sigset_t()
    unsafe sigemptyset(&signalSet)
    unsafe sigaddset(&signalSet, SIGPIPE)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signalSet, nil)
    raise(SIGPIPE)
    _exit(141)
  }
}
