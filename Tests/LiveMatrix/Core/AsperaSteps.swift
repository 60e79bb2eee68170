// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaClient

/// The steps that a node of Aspera must pass, with ascp as far as it is installed.
struct AsperaSteps: Sendable {
  let node: String

  /// The path of the folder that the steps may write to.
  let rootPath: String

  let context: LiveContext
  let accessCache: CredentialCache<AsperaNodeAccess>

  private let folder = "storage-auth-live-\(ServiceSteps.randomName())"

  private static let objectSize = 1_000

  /// Creates the steps for a node, with the credential of the default sources.
  init(node: String, in context: LiveContext) {
    self.node = node
    self.context = context
    rootPath = context.value("ASPERA_ROOT") ?? "/"
    accessCache = CredentialCache(.asperaDefault, in: context.providers)
  }

  var serviceSteps: ServiceSteps {
    let bytes = Int64(2 * Self.objectSize)
    return ServiceSteps(
      service: LiveMatrix.aspera, location: "\(folder) below \(rootPath) of \(node)",
      steps: [
        Step("signed folder and list", Cost(requests: 3, objects: 2)) { try await list() },
        Step("wrong secret is refused", Cost(requests: 1)) { try await refuseSecret() },
        Step("transfer token", Cost(requests: 1)) { try await issueToken() },
        Step("upload and download with ascp", Cost(requests: 8, objects: 1, bytes: bytes)) { try await transfer() },
        Step("refused token is renewed", Cost(requests: 3, objects: 1, bytes: bytes)) { try await renewToken() },
        Step("account logs in", Cost(requests: 0)) { try await logIn() },
        Step("wrong password of the account is refused", Cost(requests: 0)) { try await refusePassword() },
      ],
      cleanup: Step("cleanup", Cost(requests: 3)) { try await cleanUp() })
  }

  private var queueConfiguration: TransferQueueConfiguration {
    TransferQueueConfiguration(retryDelay: context.retryDelay)
  }

  /// Returns the path of ascp, or throws the reason for skipping a step.
  private func ascp() throws(StepError) -> String {
    do {
      return try AscpLocator().locate(context.value(AscpLocator.variable))
    } catch {
      throw StepError.skipped(error.message)
    }
  }

  private func client(
    _ access: CredentialCache<AsperaNodeAccess>, ascp: String? = nil
  ) -> StorageClient<AsperaProvider> {
    StorageClient(
      .aspera(
        node: node, root: rootPath,
        transfers: AsperaTransferOptions(login: .dynamicKey, ascp: ascp, queue: queueConfiguration)),
      credentials: access, configuration: context.configuration(), transport: context.transport, time: context.time)
  }

  // MARK: Node API

  private func list() async throws {
    let client = client(accessCache)
    try await client.createFolder("\(folder)/inner")
    var names: [String] = []
    for try await entry in client.list(prefix: folder + "/", delimiter: "/") { names.append(entry.name) }
    try expect("The list", names, toBe: ["\(folder)/inner/"])
  }

  private func refuseSecret() async throws {
    let access = try await accessCache.credential()
    let wrong = AsperaNodeAccess.basic(user: access.identity, password: ServiceSteps.randomName())
    let client = client(CredentialCache(wrong, time: context.time))
    try await expectRefusal(as: [.invalidCredential, .accessDenied]) {
      for try await _ in client.list(prefix: folder + "/", delimiter: "/") {}
    }
  }

  private func issueToken() async throws {
    let spec = uploadSpecification(of: "/token.bin", publicKey: nil)
    let issued = try await issuer.issue(for: TokenRequest(session: "live", specification: spec), in: context.providers)
    guard let token = issued.credential.token else {
      throw StepError.deviation("The response to the setup call has no token.")
    }
    if let expiration = token.expiration, expiration <= context.time.now {
      throw StepError.deviation("The token has expired already, at \(expiration).")
    }
  }

  private var issuer: SetupTokenIssuer { SetupTokenIssuer(node: node, access: accessCache) }

  private func uploadSpecification(of source: String, publicKey: String?) -> TransferSpec {
    var spec = TransferSpec(.send, [TransferPath(source, to: "\(folder)/renewed.bin")], destinationRoot: rootPath)
    spec.createsFolder = true
    spec.publicKey = publicKey
    return spec
  }

  // MARK: Transfers

  private func transfer() async throws {
    let client = client(accessCache, ascp: try ascp())
    let bytes = sampleBytes(Self.objectSize)
    try await client.upload(bytes, to: "\(folder)/a b+c%2F猫.bin")
    try expect(try await client.download("\(folder)/a b+c%2F猫.bin", upTo: bytes.count), toBe: bytes)
  }

  /// Begins a transfer with a token that the server does not know, which the queue must replace.
  private func renewToken() async throws {
    let engine = try AscpEngine(program: try ascp(), time: context.time)
    let file = try ScratchFile(sampleBytes(Self.objectSize))
    defer { file.remove() }
    guard let host = ServiceURL(node)?.authority.split(separator: ":").first else {
      throw StepError.deviation("ASPERA_NODE_URL is not a URL.")
    }
    let key = try DynamicKey(bits: 2_048)
    let account = try AsperaAccount(
      host: String(host), user: AsperaAccount.defaultTokenUser, privateKey: key.privateKey, requiresToken: true)
    let queue = TransferQueue(
      engine: engine, account: account, issuer: SpoiledTokenIssuer(base: issuer), configuration: queueConfiguration,
      in: context.providers)
    let session = TransferSession(uploadSpecification(of: file.path, publicKey: key.publicKey))
    var reasons: [TokenRequest.Reason] = []
    for await event in queue.run([session]) {
      switch event.kind {
      case .tokenIssued(let issuance): reasons.append(issuance.reason)
      case .finished(let result): _ = try result.get()
      default: break
      }
    }
    guard reasons.count == 2, reasons.first == .initial, reasons.last != .initial else {
      throw StepError.deviation("Tokens were issued for the reasons \(reasons.map(\.rawValue)) instead of twice.")
    }
  }

  // MARK: Account

  private func logIn() async throws {
    let account = try account(withPassword: { $0 })
    switch try await resultOfMissingFile(from: account) {
    case .success: return
    case .failure(let failure):
      // The server looks for a file, or asks for a token, only when it has accepted the login.
      switch failure.kind {
      case .caller, .authorization, .token: return
      default: throw failure
      }
    }
  }

  private func refusePassword() async throws {
    let account = try account(withPassword: { _ in Secret(ServiceSteps.randomName()) })
    guard case .failure(let failure) = try await resultOfMissingFile(from: account) else {
      throw StepError.deviation("The server accepted a wrong password.")
    }
    guard failure.kind == .account else { throw failure }
  }

  /// Returns the account that the environment names, with a password made from the right one.
  private func account(withPassword password: (Secret) -> Secret) throws -> AsperaAccount {
    let names = ["ASPERA_HOST", "ASPERA_USER", "ASPERA_SCP_PASS"]
    guard let host = context.value(names[0]), let user = context.value(names[1]), let secret = context.value(names[2])
    else {
      throw StepError.skipped("\(names.joined(separator: ", ")) are not all set")
    }
    let port = context.value("ASPERA_PORT").flatMap { Int(digits: $0) } ?? AsperaAccount.defaultPort
    return try AsperaAccount(
      host: host, user: user, password: password(Secret(secret)), sshPort: port, udpPort: port)
  }

  /// Returns the result of downloading a file that does not exist, which creates no file on either side.
  private func resultOfMissingFile(from account: AsperaAccount) async throws -> Result<TransferSummary, TransferFailure>
  {
    let engine = try AscpEngine(program: try ascp(), time: context.time)
    let file = try ScratchFile([])
    defer { file.remove() }
    let spec = TransferSpec(.receive, [TransferPath("/\(folder)-missing", to: "copy")], destinationRoot: file.folder)
    let queue = TransferQueue(
      engine: engine, account: account, configuration: queueConfiguration, in: context.providers)
    for await event in queue.run([spec]) {
      if case .finished(let result) = event.kind { return result }
    }
    throw CancellationError()
  }

  /// Removes the folder, and requires that the node lists none of its content.
  private func cleanUp() async throws {
    do {
      let client = client(accessCache)
      try await client.deleteFolder(folder)
      for try await entry in client.list(prefix: folder + "/") {
        throw StepError.deviation("\(entry.name) is still there.")
      }
    } catch {
      throw StepError.deviation("Remove the folder \(folder) below \(rootPath) on the node by hand. \(error)")
    }
  }
}
