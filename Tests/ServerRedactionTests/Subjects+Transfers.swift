// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaClient
import AsperaTransfer
import StorageAuth
import StorageAuthTesting
import StorageClient
import StoragePrograms

extension Subjects {
  /// Types of AsperaTransfer whose instances hold no secret, with the reason.
  static let holdsNothingOfTransfers: [String: String] = [
    "StoragePrograms.AccountProbeReport": "a server's response to an account, without the credential",
    "StoragePrograms.AccountProbeReport.HostKey": "a public key",
    "StoragePrograms.AccountProbeReport.Method": "an enumeration without payload",
    "StoragePrograms.AscpLimits": "durations and numbers",
    "StoragePrograms.AscpLogin": "an accepted login, or a failure",
    "StoragePrograms.AscpVersion": "numbers",
    "AsperaTransfer.TransferEvents.AsyncIterator": "events, which are checked separately",
    "AsperaTransfer.TransferFailure.Kind": "an error kind, a reason, or a CredentialError",
    "AsperaTransfer.TransferFileReport": "a path and numbers",
    "AsperaTransfer.TransferFileReport.Outcome": "a number and a message of ascp",
    "AsperaTransfer.TransferProgressReport": "a path and numbers",
    "AsperaTransfer.TransferQueueConfiguration": "numbers and durations",
    "AsperaTransfer.TransferReport": "paths and numbers",
    "AsperaTransfer.TransferRetry.Cause": "an enumeration without payload",
    "AsperaTransfer.TransferStatus": "an enumeration of states",
    "AsperaTransfer.TransferSummary": "numbers",
  ]

  /// An engine that rejects the first token of a transfer and accepts the next.
  private struct Engine: TransferEngine {
    let attempts = RetryCounts()

    func run(
      _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
      report: @escaping @Sendable (TransferReport) -> Void
    ) async throws(TransferFailure) -> TransferSummary {
      report(.connecting)
      if attempts.next() == 1 {
        throw TransferFailure(.token(.rejected), code: 34, "The server refused the token.", remedy: "Get a new one.")
      }
      report(.running)
      return TransferSummary(bytes: 1, files: 1)
    }
  }

  private final class RetryCounts: Sendable {
    private let count = Lock(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  /// Returns a queue that ran a session with tokens, its events, and its components.
  static func transfers() async throws -> [(name: String, value: Any)] {
    let account = try AsperaAccount(host: "aspera.example.com", user: "mia", password: Secret(secret))
    let tokens = RetryCounts()
    let issuer = ClosureTokenIssuer(source: "my app's server") { _ in
      TransferCredential(token: try AsperaToken(Secret("ATM2_\(mark)\(tokens.next())_2MTA")))
    }
    let spec = TransferSpec(.send, [TransferPath("/a")], destinationRoot: "/b")
    let session = TransferSession(spec, account: account, issuer: issuer, id: "1")
    let fixed = TransferSession.TokenSource.fixed(try AsperaToken(Secret("ATM2_\(mark)_2MTA")))
    let queue = TransferQueue(engine: Engine(), account: account, issuer: issuer)
    let sequence = queue.run([session])
    var told: [(String, Any)] = []
    for await event in sequence {
      told += [("AsperaTransfer.TransferEvent", event), ("AsperaTransfer.TransferEvent.Kind", event.kind)]
      switch event.kind {
      case .tokenIssued(let issuance): told.append(("AsperaTransfer.TokenIssuance", issuance))
      case .retry(let retry):
        told += [("AsperaTransfer.TransferRetry", retry), ("AsperaTransfer.TransferFailure", retry.failure)]
      default: break
      }
    }
    let machine = ProviderContext(
      environment: { $0 == "PATH" ? "/bin" : secret }, home: "/home/mia", files: SystemFiles(),
      transport: ScriptedTransport([]))
    return told + [
      ("AsperaTransfer.TransferQueue", queue), ("AsperaTransfer.TransferEvents", sequence),
      ("AsperaTransfer.TransferSession", session), ("AsperaTransfer.TransferSession.TokenSource", session.token),
      ("AsperaTransfer.TransferSession.TokenSource", fixed), ("StoragePrograms.AccountProbe", AccountProbe(machine)),
      ("StoragePrograms.AscpEngine", try AscpEngine(program: "/bin/sh")),
    ]
  }
}
