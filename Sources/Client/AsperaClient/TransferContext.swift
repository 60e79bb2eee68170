// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// The transfer queue, the token issuer and the login that all Aspera transfers of one client share.
final class TransferContext: Sendable {
  let queue: TransferQueue
  /// The account that logs in, or `nil` if transfers use a WebSocket.
  let account: AsperaAccount?
  /// The public key of a generated key pair, which the node receives so that it admits the account.
  let publicKey: String?
  /// The host that the caller specified for transfers, or the host of the node's URL.
  let host: String
  /// The user of the account that the caller specified, or `nil` if the node specifies the user.
  let callerUser: String?
  private let options: AsperaTransferOptions
  private let issuer: SetupTokenIssuer
  /// The observation of the queue's events, which ends when it is released.
  private let observation: EventHub.Observation

  init(_ sender: RequestSender<AsperaProvider>) throws {
    let nodeURL = try sender.provider.nodeURL.get()
    options = sender.provider.transfers
    try options.requireNoExcludedServerOption()
    host = options.server.host ?? AsperaAccount.host(of: nodeURL.authority)
    var generatedPublicKey: String?
    account = try options.account(on: host) {
      // The key shows only that the client is an Aspera client, and tokens authorize transfers: a short key suffices.
      let key = try DynamicKey(bits: 2_048)
      generatedPublicKey = key.publicKey
      return key
    }
    publicKey = generatedPublicKey
    callerUser = if case .account(let account) = options.login { account.user } else { nil }
    issuer = SetupTokenIssuer(node: nodeURL.visible, access: sender.credentials, tokenLifetime: options.tokenLifetime)
    // The client's operation emits a transfer event with the object's key, so the event of the queue is not passed on.
    let queueEvents = EventHub(measuredBy: sender.events)
    observation = queueEvents.observe { [clientEvents = sender.events] event in
      if case .transfer = event { return }
      clientEvents.relay(event)
    }
    queue = TransferQueue(
      engine: try options.makeEngine(sender.time), configuration: options.queue, authEvents: queueEvents,
      in: .system(sender.transport, sender.time))
  }

  /// Returns a session whose token and server the node determines in its response to a setup request.
  func makeSetupSession(_ specification: TransferSpec) -> TransferSession {
    var specification = specification
    specification.publicKey = publicKey
    if account == nil { specification.remoteHost = options.server.host }
    specification.sshPort = options.server.sshPort
    specification.udpPort = options.server.udpPort
    return makeSession(specification, issuer: issuer)
  }

  func makeSession(_ specification: TransferSpec, issuer: some TokenIssuer) -> TransferSession {
    options.makeSession(specification, account: account, issuer: issuer)
  }
}

extension TransferQueue {
  /// Runs a session, and returns or throws only after the end of the transfer.
  ///
  /// The queue must not contain the session's ID yet.
  ///
  /// - Throws: A `TransferFailure`, also if only some files were not transferred, or a `CancellationError`.
  func runToEnd(_ session: TransferSession, size: Int64?, meter: ProgressMeter?) async throws {
    var reportedBytes: Int64 = 0
    func reportProgress(_ bytes: Int64) {
      let transferredBytes = min(bytes, size ?? bytes)
      guard transferredBytes > reportedBytes else { return }
      meter?.advance(by: transferredBytes - reportedBytes)
      reportedBytes = transferredBytes
    }
    var result: Result<TransferSummary, TransferFailure>?
    var fileFailure: TransferFailure?
    for await event in run([session]) {
      switch event.kind {
      case .progress(let progress): reportProgress(progress.bytes)
      // A new attempt transfers the files again that failed in the one before.
      case .willStartRunning: fileFailure = nil
      case .file(let file): fileFailure = fileFailure ?? TransferFailure(file)
      case .finished(let finalResult): result = finalResult
      default: break
      }
    }
    guard let result else {
      // The events end early if this task is cancelled. The queue then stops the transfer.
      _ = await self.result(of: session.id)
      throw CancellationError()
    }
    if Task.isCancelled, case .failure = result { throw CancellationError() }
    let summary = try result.get()
    if let fileFailure { throw fileFailure }
    reportProgress(size ?? summary.bytes)
  }
}

extension TransferFailure {
  /// Creates the failure of a file in a transfer that otherwise succeeded, or `nil` if the file was transferred.
  fileprivate init?(_ report: TransferFileReport) {
    guard case .failed(let code, let text) = report.outcome else { return nil }
    self.init(
      .caller, code: code, "The file was not transferred: \(text)",
      remedy: "Check that it is there, and that it may be read and written.")
  }
}
