// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

extension TransferFailure {
  /// Creates a transfer failure from an error that occurred before ascp was started.
  init(unusable error: AsperaError) {
    self.init(.caller, error.message, remedy: error.remedy)
  }

  static let noManagementPort = TransferFailure(
    .other, "No port of the loopback interface can be opened for ascp to report to.",
    remedy: "See whether this process may open sockets, and whether it has too many files open.")

  static func notStarted(_ reason: String) -> TransferFailure {
    TransferFailure(
      .caller, "ascp could not be started: \(reason).",
      remedy: "See whether the program is there, may be executed, and is for this kind of machine.")
  }

  static func fault(_ fault: AscpAttempt.Fault, limits: AscpLimits, printed: String) -> TransferFailure {
    let detail = detail(of: printed)
    return switch fault {
    case .neverConnected:
      TransferFailure(
        .other, "ascp did not connect to its management port within \(limits.connect).\(detail)",
        remedy: "See whether the program is ascp, and whether connections to 127.0.0.1 are allowed.")
    case .silent:
      TransferFailure(
        .transport, "ascp sent no message for \(limits.silence) and was stopped.\(detail)",
        remedy: "Try again; if it happens again, see whether the network lets UDP through.")
    case .unreadable(let problem):
      TransferFailure(
        .other, "The data on the management port do not come from ascp: \(problem.rawValue).\(detail)",
        remedy: "See whether the program is ascp; another program of this machine may have connected before it.")
    }
  }

  static func noAnswer(within limit: Duration, printed: String) -> TransferFailure {
    TransferFailure(
      .transport, "ascp did not report the result of the login within \(limit).\(Self.detail(of: printed))",
      remedy: "See whether the host and the SSH port are right, and whether a firewall drops connections to it.")
  }

  private static func detail(of printed: String) -> String {
    printed.lastLines.map { " It printed: \($0)" } ?? ""
  }

  /// The failure of an ascp that exited without a final frame, or whose exit status contradicts its final frame.
  static func ended(_ ending: AscpProcess.Ending, printed: String) -> TransferFailure {
    let how =
      switch ending {
      case .exited(let status): "ended with status \(status)"
      case .signalled(let signal): "was ended by signal \(signal)"
      case .killed, .notStarted: "was killed"
      }
    guard let detail = printed.lastLines else {
      return TransferFailure(
        .other, "ascp \(how) and did not report that the transfer is done.",
        remedy: "Try again; if it happens again, check ascp's log.")
    }
    return TransferFailure(ascpCode: nil, text: "\(detail) (it \(how))")
  }
}

extension String {
  private static let lastLinesLimit = 200

  /// The last one to three lines joined into one line of limited length.
  var lastLines: String? {
    let lines = split(whereSeparator: \.isNewline)
    guard let last = lines.last?.prefix(Self.lastLinesLimit) else { return nil }
    return lines.dropLast().suffix(2).reversed().reduce(String(last)) { text, line in
      text.count + line.count > Self.lastLinesLimit ? text : "\(line); \(text)"
    }
  }
}
