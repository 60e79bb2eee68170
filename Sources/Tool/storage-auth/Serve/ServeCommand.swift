// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import StorageClient
internal import UnixSignals

/// The command `storage-auth serve`, which runs emulated cloud services on this machine.
struct ServeCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract:
      "Runs OSS, COS, S3 and their token services, and an Aspera node, on this machine; every signature is verified.",
    discussion: """
      Arguments can be read by every user of the machine. A line of --account-file is an account, id:secret[:token], or \
      one of the words account, disabled, node-user, transfer-account, app-token and identity-token with a value of the \
      option of that name. The values can also be in STORAGE_AUTH_ACCOUNT, STORAGE_AUTH_DISABLED, STORAGE_AUTH_NODE_USER, \
      STORAGE_AUTH_TRANSFER_ACCOUNT, STORAGE_AUTH_APP_TOKEN and STORAGE_AUTH_IDENTITY_TOKEN, separated by spaces. \
      All values apply together. A file that other users could have written is rejected.

      Stops cleanly on SIGINT and SIGTERM.
      """)

  @Option(help: ArgumentHelp("The port of OSS; 0 for any free port.", valueName: "port"))
  var ossPort = 0

  @Option(help: ArgumentHelp("The port of COS; 0 for any free port.", valueName: "port"))
  var cosPort = 0

  @Option(help: ArgumentHelp("The port of S3; 0 for any free port.", valueName: "port"))
  var s3Port = 0

  @Option(
    help: ArgumentHelp(
      "The directory for objects, which is kept; by default a temporary one that is removed.",
      valueName: "directory"))
  var root: String?

  @Option(
    help: ArgumentHelp(
      "An account of all clouds; repeatable. Without one, an account is generated and printed.",
      valueName: "id:secret[:token]"))
  var account: [AccountArgument] = []

  @Option(
    help: ArgumentHelp(
      "A file with accounts and tokens, which other users could read in arguments; see above. - is standard input.",
      valueName: "file"))
  var accountFile: String?

  @Option(help: ArgumentHelp("A key that is disabled; repeatable.", valueName: "id:secret"))
  var disabled: [AccountArgument] = []

  @Option(help: "A bucket to create in all clouds; repeatable.")
  var bucket: [String] = []

  @Option(help: "The region that OSS V4 signatures must contain; any well-formed one by default.")
  var region: String?

  @Option(help: "The region of S3, which its signatures must contain.")
  var s3Region = "us-east-1"

  @Flag(help: "Require that COS signatures include host, content length, token and every parameter.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "An origin whose pages may use the storage services from a browser (CORS); repeatable, * for all.",
      valueName: "origin"))
  var allowedOrigin: [String] = []

  @Flag(help: "Send the callbacks that uploads to OSS ask for, to servers on this machine.")
  var callbacks = false

  @OptionGroup var page: ConsoleOptions

  @OptionGroup(title: "Token services, app server, metadata")
  var services: ServiceOptions

  @OptionGroup(title: "Aspera")
  var node: NodeOptions

  @OptionGroup(title: "Faults")
  var faults: FaultOptions

  @OptionGroup(title: "Status")
  var status: StatusOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try AccountArgument.check(account, of: "--account")
    try AccountArgument.check(disabled, of: "--disabled")
  }

  func run() async throws {
    let secrets = try SecretArguments(file: accountFile)
    let named = try account + secrets.accounts(.account)
    let accounts = named.isEmpty ? [AccountArgument.random()] : named
    let disabled = try self.disabled + secrets.accounts(.disabled)
    let services = try self.services.services(with: secrets)
    let aspera = try node.aspera(with: secrets)
    var configuration = LocalCloud.Configuration(
      accounts: accounts.map { $0.account() } + disabled.map { $0.account(isDisabled: true) }, buckets: bucket,
      ossPort: ossPort, cosPort: cosPort, s3Port: s3Port, root: root, region: region, s3Region: s3Region,
      isStrict: strict, allowedOrigins: allowedOrigin, services: services, aspera: aspera, faults: faults.faults)
    if callbacks { configuration.callbacks = LocalCloud.Callbacks(transport: .platformDefault) }
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let cloud = try await LocalCloud.start(configuration)
    do {
      let metrics = LocalCloudMetrics(factory: StatusServer.registry)
      let status = try await StatusServer.start(status) { metrics.update(with: cloud.statistics) }
      let console = try await page.start(for: cloud)
      let sites = Sites(status: status?.url, console: console?.url)
      announce(cloud, sites, accounts, services.roles, isMadeUp: named.isEmpty)
      for await _ in signals { break }
      await console?.stop()
      await status?.stop()
    } catch {
      await cloud.stop()
      throw error
    }
    await cloud.stop()
  }

  private func announce(
    _ cloud: LocalCloud, _ sites: Sites, _ accounts: [AccountArgument], _ roles: [LocalCloud.Role], isMadeUp: Bool
  ) {
    guard !output.json else {
      Terminal.json(Ready(cloud, sites, accounts).json)
      return
    }
    Terminal.line("OSS           \(cloud.url(of: .oss))")
    Terminal.line("COS           \(cloud.url(of: .cos))")
    Terminal.line("S3            \(cloud.url(of: .s3))")
    Terminal.line("STS           \(cloud.servicesURL)/")
    Terminal.line("metadata      \(cloud.servicesURL)/latest/meta-data/")
    Terminal.line("app server    \(cloud.ossAppServer)")
    Terminal.line("              \(cloud.cosAppServer)")
    Terminal.line("              \(cloud.s3AppServer)")
    Terminal.line("Aspera        \(cloud.nodeURL)")
    Terminal.line("transfers     127.0.0.1:\(cloud.transferPort) for ascp-simulator, host key \(cloud.transferHostKey)")
    if let url = cloud.callbackKeyURL { Terminal.line("callback key  \(url)") }
    if let console = sites.console { Terminal.line("console       \(console)") }
    if let status = sites.status { Terminal.line("status        \(status)/metrics") }
    for role in roles { Terminal.line("role          \(role.arn)") }
    Terminal.line("data          \(cloud.root)")
    if isMadeUp, let made = accounts.first {
      Terminal.line("")
      Terminal.line("No account was given, so this one was generated; it is valid until the server stops:")
      Terminal.line("export OSS_ACCESS_KEY_ID=\(made.id) OSS_ACCESS_KEY_SECRET=\(made.secret)")
      Terminal.line("export TENCENTCLOUD_SECRET_ID=\(made.id) TENCENTCLOUD_SECRET_KEY=\(made.secret)")
      Terminal.line("export AWS_ACCESS_KEY_ID=\(made.id) AWS_SECRET_ACCESS_KEY=\(made.secret)")
    }
  }
}

/// The URLs of the pages about the server, each `nil` without its option.
private struct Sites {
  let status: String?
  let console: String?
}

/// The JSON object that `storage-auth serve --json` prints when the server is ready.
private struct Ready: Encodable {
  struct Account: Encodable {
    let id: String
    let secret: String
    let token: String?

    private enum CodingKeys: CodingKey {
      case id, secret, token
    }

    /// Encodes the account.
    ///
    /// The member `token` is always present, as `null` if the account has no token, so that scripts can rely on it.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(secret, forKey: .secret)
      try container.encode(token, forKey: .token)
    }
  }

  let oss: String
  let cos: String
  let s3: String
  let services: String
  let ossAppServer: String
  let cosAppServer: String
  let s3AppServer: String
  let node: String
  let transferPort: Int
  let transferHostKey: String
  /// The URL of the console, which is absent if there is no console.
  let console: String?
  /// The URL of the status port, which is absent without the option.
  let status: String?
  let accounts: [Account]

  init(_ cloud: LocalCloud, _ sites: Sites, _ accounts: [AccountArgument]) {
    status = sites.status
    oss = cloud.url(of: .oss)
    cos = cloud.url(of: .cos)
    s3 = cloud.url(of: .s3)
    services = cloud.servicesURL
    ossAppServer = cloud.ossAppServer
    cosAppServer = cloud.cosAppServer
    s3AppServer = cloud.s3AppServer
    node = cloud.nodeURL
    transferPort = cloud.transferPort
    transferHostKey = cloud.transferHostKey.description
    console = sites.console
    self.accounts = accounts.map { Account(id: $0.id, secret: $0.secret, token: $0.token) }
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

extension LocalCloud {
  /// Returns the URL of an emulated storage service.
  fileprivate func url(of provider: Provider) -> String {
    "\(endpoint(of: provider).scheme)://\(endpoint(of: provider).authority)"
  }
}

/// The command-line option for the web page about the local server.
struct ConsoleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The port of a web page that shows buckets, objects, requests and why signatures were rejected; 0 for any free port.",
      valueName: "port"))
  var console: Int?

  func validate() throws {
    if let console, !(0...65_535).contains(console) {
      throw ValidationError("\(console) is not a port for --console; use 0 to 65535.")
    }
  }

  /// Starts the console, or returns `nil` if the option is not used.
  ///
  /// - Throws: `ConsoleError` if the port cannot be used.
  func start(for cloud: LocalCloud) async throws -> LocalConsole? {
    guard let console else { return nil }
    return try await LocalConsole.start(for: cloud, port: console)
  }
}
