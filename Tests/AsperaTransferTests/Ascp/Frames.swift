// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth

@testable import AsperaTransfer

/// Frames as ascp sends them.
enum Frames {
  static let initial = frame("INIT", "SessionId: s1", "Direction: Send", "Operation: Transfer")
  /// An observed session frame, shortened; it precedes the verification of the account.
  static let session = frame(
    "SESSION", "Rate: 10000", "MinRate: 0", "SessionId: s1", "User: xfer", "Host: 127.0.0.1", "Encryption: Yes",
    "RateCap: 18446744073709551", "Source: /data/src.bin", "Destination: /up", "Cipher: aes-128")
  static let done = frame("DONE", "SessionId: s1", "TransferBytes: 300", "TransfersPassed: 2")

  static func error(_ code: Int, _ text: String) -> String {
    frame("ERROR", "Loss: 0", "Code: \(code)", "Description: \(text)", "SessionId: s1")
  }

  static func statistics(_ bytes: Int, of file: String = "/data/a") -> String {
    frame("STATS", "SessionId: s1", "TransferBytes: \(bytes)", "File: \(file)")
  }

  static func total(_ bytes: Int) -> String { frame("NOTIFICATION", "SessionId: s1", "PreTransferBytes: \(bytes)") }

  static func stop(_ file: String, size: Int) -> String { frame("STOP", "File: \(file)", "Size: \(size)") }

  static func frame(_ type: String, _ fields: String...) -> String {
    "FASPMGR 2\nType: \(type)\n" + fields.map { $0 + "\n" }.joined() + "\n"
  }
}

extension TransferSpec {
  /// A transfer with all kinds of secrets.
  static var sample: TransferSpec {
    var spec = TransferSpec(.send, [TransferPath("/data/a"), TransferPath("/data/b")], destinationRoot: "/up")
    spec.remoteHost = "aspera.example.com"
    spec.remoteUser = "mia"
    spec.sshPort = 33001
    spec.token = Secret("ATM2_ACsecretTokenPayload_2MTA")
    spec.fields["remote_password"] = .string("correct horse battery")
    return spec
  }
}

/// Records the reports of an engine in order, and lets tests wait for one.
final class Reports: Sendable {
  private let state: Lock<[TransferReport]> = Lock([])

  var all: [TransferReport] { state.withLock { $0 } }

  func add(_ report: TransferReport) { state.withLock { $0.append(report) } }

  func contains(_ report: TransferReport) async throws {
    try await Patience.until { all.contains(report) }
  }
}
