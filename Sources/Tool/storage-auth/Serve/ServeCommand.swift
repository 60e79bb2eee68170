// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaAuth
internal import CoreMetrics
internal import LocalCloud
internal import StorageAuth
internal import StorageClient
internal import UnixSignals

struct ServeCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract:
      "Runs OSS, COS, S3 and their token services, and an Aspera node, on this machine; every signature is verified.",
    discussion: """
      Arguments can be read by every user of the machine. A line of --account-file is an account, id:secret[:token], or \
      one of the words account, disabled, other-account, node-user, transfer-account, app-token and identity-token with a \
      value of the option of that name. The values can also be in STORAGE_AUTH_ACCOUNT, STORAGE_AUTH_DISABLED, \
      STORAGE_AUTH_OTHER_ACCOUNT, STORAGE_AUTH_NODE_USER, STORAGE_AUTH_TRANSFER_ACCOUNT, STORAGE_AUTH_APP_TOKEN and \
      STORAGE_AUTH_IDENTITY_TOKEN, separated by spaces. \
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
      "The directory for objects, which is kept; by default a temporary one that is removed.", valueName: "directory"))
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

  @Option(
    help: ArgumentHelp(
      "A key of an account that owns no bucket, whose number policies of buckets name; repeatable.",
      valueName: "id:secret:number"))
  var otherAccount: [AccountArgument] = []

  @Option(help: "A bucket to create in all clouds; repeatable.")
  var bucket: [String] = []

  @Option(help: "The region that OSS V4 signatures must contain; any well-formed one by default.")
  var region: String?

  @Option(
    help:
      "The region of S3, which its signatures must contain; in some, us-east-1 for one, clients presign with version 2."
  )
  var s3Region = defaultS3Region

  /// A region in which all clients use Signature Version 4, also for URLs and forms.
  static let defaultS3Region = "eu-central-1"

  @Flag(help: "Require that COS signatures include host, content length, token and every parameter.")
  var strict = false

  @Flag(help: "Complete uploads whose parts are smaller than the services allow, such as below 5 MiB in S3.")
  var smallParts = false

  @Option(
    help: ArgumentHelp(
      "An origin whose pages may use the storage services from a browser (CORS); repeatable, * for all.",
      valueName: "origin"))
  var allowedOrigin: [String] = []

  @Flag(help: "Send the callbacks that uploads to OSS ask for, to servers on this machine.")
  var callbacks = false

  @OptionGroup(title: "Other machines and containers")
  var interface: ListenOptions

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
    try AccountArgument.check(otherAccount, of: "--other-account")
    guard try interface.isLocal || !account.isEmpty || !SecretArguments(file: accountFile)[.account].isEmpty else {
      throw ValidationError(
        "Other machines reach \(interface.listen): give the accounts, with --account-file or STORAGE_AUTH_ACCOUNT.")
    }
  }

  func run() async throws {
    let secrets = try SecretArguments(file: accountFile)
    let named = try account + secrets.accounts(.account)
    let accounts = named.isEmpty ? [AccountArgument.random()] : named
    let disabled = try self.disabled + secrets.accounts(.disabled)
    let others = try otherAccount + secrets.accounts(.otherAccount)
    let services = try self.services.services(with: secrets)
    let aspera = try node.aspera(with: secrets)
    var configuration = LocalCloud.Configuration(
      accounts: accounts.map { $0.account() } + disabled.map { $0.account(isDisabled: true) }
        + others.map(\.otherAccount),
      buckets: bucket, ossPort: ossPort, cosPort: cosPort, s3Port: s3Port, root: root, region: region,
      s3Region: s3Region,
      isStrict: strict, allowedOrigins: allowedOrigin, services: services, aspera: aspera, faults: faults.faults)
    configuration.allowsSmallParts = smallParts
    try interface.apply(to: &configuration)
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
    guard !output.json else { return Terminal.json(json(cloud, sites, accounts)) }
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

  /// Returns the JSON object of a server that is ready, without members for the pages that it does not have.
  private func json(_ cloud: LocalCloud, _ sites: Sites, _ accounts: [AccountArgument]) -> JSONValue {
    var object: JSONObject = [
      "accounts": .array(
        accounts.map {
          ["id": .string($0.id), "secret": .string($0.secret), "token": $0.token.map { .string($0) } ?? .null]
        }),
      "oss": .string(cloud.url(of: .oss)), "cos": .string(cloud.url(of: .cos)), "s3": .string(cloud.url(of: .s3)),
      "services": .string(cloud.servicesURL), "ossAppServer": .string(cloud.ossAppServer),
      "cosAppServer": .string(cloud.cosAppServer), "s3AppServer": .string(cloud.s3AppServer),
      "node": .string(cloud.nodeURL), "transferPort": .number(JSONNumber(cloud.transferPort)),
      "transferHostKey": .string(cloud.transferHostKey.description),
    ]
    object["console"] = sites.console.map { .string($0) }
    object["status"] = sites.status.map { .string($0) }
    return .object(object)
  }
}

/// The URLs of the pages about the server, each `nil` without its option.
private struct Sites {
  let status: String?
  let console: String?
}

extension LocalCloud {
  fileprivate func url(of provider: Provider) -> String {
    "\(endpoint(of: provider).scheme)://\(endpoint(of: provider).authority)"
  }
}

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

  func start(for cloud: LocalCloud) async throws -> LocalConsole? {
    guard let console else { return nil }
    return try await LocalConsole.start(for: cloud, port: console)
  }
}

/// The statistics of a local server as metrics, which are brought up to date when they are read.
final class LocalCloudMetrics: Sendable {
  private let factory: any MetricsFactory
  private let counted = Lock<LocalCloud.Statistics?>(nil)

  init(factory: any MetricsFactory) {
    self.factory = factory
  }

  /// Adds what has happened since the last update to the counters.
  func update(with now: LocalCloud.Statistics) {
    let before = counted.withLock { counted in
      defer { counted = now }
      return counted
    }
    for (kind, count) in now.verified {
      add("verified_total", [("scheme", kind.rawValue)], count - (before?.verified[kind] ?? 0))
    }
    add("anonymous_total", [], now.anonymous - (before?.anonymous ?? 0))
    for (endpoint, statistics) in now.endpoints {
      let old = before?.endpoints[endpoint]
      let label = ("endpoint", endpoint.rawValue)
      add("requests_total", [label], statistics.requests - (old?.requests ?? 0))
      add("faults_total", [label], statistics.faults - (old?.faults ?? 0))
      add("issued_total", [label], statistics.issued - (old?.issued ?? 0))
      for (code, count) in statistics.refused {
        add("refused_total", [label, ("code", code)], count - (old?.refused[code] ?? 0))
      }
    }
  }

  private func add(_ name: String, _ labels: [(String, String)], _ count: Int) {
    Counter(label: "local_cloud_\(name)", dimensions: labels, factory: factory).increment(by: count)
  }
}

struct ServiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The port of the token services, the app server and the metadata; 0 for any free port.", valueName: "port"))
  var servicesPort = 0

  @Option(
    help: ArgumentHelp("A role that can be assumed; repeatable. One for each cloud by default.", valueName: "arn"))
  var role: [String] = []

  @Option(
    help: ArgumentHelp("The lifetime of every issued token; removes the minimum of 900 seconds.", valueName: "seconds"))
  var tokenLifetime: Int?

  @Option(help: ArgumentHelp("The bearer token that callers of the app server must send.", valueName: "token"))
  var appToken: String?

  @Option(help: ArgumentHelp("An identity token (OIDC) to exchange for keys; repeatable.", valueName: "token"))
  var identityToken: [String] = []

  @Flag(help: "Require a token of the metadata services that support tokens (IMDSv2 only).")
  var requireMetadataToken = false

  /// Returns the configuration of the services, with the tokens from the options, the secrets file and the environment.
  func services(with secrets: SecretArguments) throws -> LocalCloud.Services {
    let appTokens = (appToken.map { [$0] } ?? []) + secrets[.appToken]
    guard appTokens.count <= 1 else { throw ValidationError("There is more than one token for the app server.") }
    return LocalCloud.Services(
      port: servicesPort, roles: role.isEmpty ? [.alibaba, .tencent, .amazon] : role.map { LocalCloud.Role($0) },
      tokenLifetime: tokenLifetime.map { .seconds($0) }, appToken: appTokens.first.map { Secret($0) },
      identityTokens: (identityToken + secrets[.identityToken]).map { Secret($0) },
      requiresMetadataToken: requireMetadataToken)
  }
}

// The only place of this module that lists the storage services.

extension LocalCloud.Provider {
  /// Returns the service whose signatures and error documents the diagnosis reads.
  func signedService(region: String) -> SignedService {
    switch self {
    case .oss: .oss(region: region)
    case .cos: .cos()
    case .s3: .s3(region: region)
    }
  }
}
