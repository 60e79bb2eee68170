// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import Hummingbird
internal import Logging
internal import ServiceLifecycle
internal import StorageAuthServer
internal import StorageOperations
internal import UnixSignals

struct TokenServerCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "token-server", abstract: "Issues temporary keys, each for a caller's prefix, or signs for callers.",
    usage: "storage-auth token-server --provider <provider> --callers <file> --bucket <bucket> [...]",
    discussion: """
      Examples:
        storage-auth token-server --provider oss --callers callers.txt \\
          --bucket photos --role acs:ram::1250000000:role/uploader --port 8080
        storage-auth token-server --sign --provider oss --region cn-hangzhou \\
          --callers callers.txt --bucket photos --port 8080

      A line of --callers is a name of up to 32 letters, digits, - and _, and a token of 16 characters or more. SIGHUP \
      reads the files again. Use --tls-cert or a TLS proxy, or keep the server on this machine.
      """)

  @Option(help: "The cloud: \(CloudName.alternatives).") var provider: CloudName
  @Option(help: .text("The file with a name and a bearer token on each line.", value: "file")) var callers: String
  @OptionGroup var rule: RuleOptions
  @Option(help: .text("The role to assume; optional for cos.", value: "arn")) var role: String?
  @Flag(help: "Sign for callers instead of issuing keys.") var sign = false
  @Option(help: "The region of the bucket, for cos, and for every cloud with --sign.") var region: String?
  @Option(help: .text("With --sign, the URL of the service of cos and s3.", value: "url")) var endpoint: String?
  @Option(help: .text("The lifetime of keys, or the maximum one of signatures.", value: "seconds")) var lifetime = 1800
  @Option(help: .text("The limit of requests per minute and caller; 0 for no limit.", value: "count")) var rate = 60
  @Option(help: .text("The address of the token service; the public one by default.", value: "url")) var sts: String?
  @Option(help: "The address to listen on.") var host = "127.0.0.1"
  @Option(help: "The port; 0 for any.") var port = 0
  @OptionGroup(title: "HTTPS") var tls: TLSOptions
  @OptionGroup(title: "Limits on connections") var limits: LimitOptions
  @OptionGroup(title: "Several servers") var shared: RedisOptions
  @OptionGroup(title: "Status") var status: StatusOptions
  @OptionGroup(title: "Keys and network") var credentials: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try rule.requireSeparatePrefixes()
    guard rate >= 0 else { throw ValidationError("--rate must be at least 0.") }
    guard (0...65_535).contains(port) else { throw ValidationError("\(port) is not a port; use 0 to 65535.") }
    let lifetimes = sign ? 1...604_800 : provider.cloud.lifetimes(role: role)
    try lifetimes.require(lifetime, of: "--lifetime", " seconds")
    if region == nil, sign || provider.cloud.policiesNeedRegion {
      throw ValidationError("Name the region of the bucket with --region.")
    }
    if sign {
      if role != nil || sts != nil { throw ValidationError("--role and --sts have no effect with --sign: omit them.") }
    } else {
      try provider.cloud.validate(role: role)
      if endpoint != nil { throw ValidationError("--endpoint has an effect only with --sign: omit it.") }
    }
  }

  private var rateLimit: RateLimit? { rate == 0 ? nil : .perMinute(rate) }

  func run() async throws {
    let callerFile = try CallerFile(path: callers)
    let routes = try sign ? signingRoutes(for: callerFile) : keyRoutes(for: callerFile)
    try await serve(routes, at: sign ? "/sign" : provider.cloud.tokenPath, for: callerFile)
  }

  private func keyRoutes(for callerFile: CallerFile) throws -> TokenServerRoutes {
    let cloud = provider.cloud
    // If the cloud cannot express the policy, the server must not start and fail at the first request.
    _ = try cloud.policyDocument(rule.policy(of: "example"), role: role, region: region ?? "")
    let keys = try credentials.cache(for: cloud)
    let stores = try shared.makeStores(of: "tokens", for: ["\(provider)", role ?? "", region ?? "", sts ?? ""])
    let countEntry = TokenAudit.count(in: StatusServer.registry)
    var context = try ProviderContext.commandLine(credentials.network)
    context.transport = try credentials.network.transport
    let service = TokenService(
      rate: rateLimit, rates: stores.rates, keys: stores.keys,
      audit: { entry in
        ResponseRecord.add("\(entry)")
        countEntry(entry)
      }, in: context, source: { try keyIssuer(for: $0, keys) })
    let metrics = [service.events, keys.events].map { StorageMetrics($0, factory: StatusServer.registry) }
    let router = router(for: callerFile)
    router.temporaryKeys(cloud.tokenFormat, at: RouterPath(stringLiteral: cloud.tokenPath), from: service) {
      [rule, lifetime] request, _ in
      let caller = try callerFile.authenticate(request)
      ResponseRecord.current?.record(caller: caller)
      return KeyRequest(
        caller: caller, scope: TokenScope(caller, rule.policy(of: caller), lifetime: .seconds(lifetime)))
    }
    return TokenServerRoutes(
      router: router, service: service, metrics: metrics, checks: [.credential("key", in: keys)] + stores.checks)
  }

  private func keyIssuer(for scope: TokenScope, _ keys: CredentialCache<AccessKey>) throws -> KeyIssuer {
    let policy = try provider.cloud.policyDocument(scope.policy, role: role, region: region ?? "")
    // The token services require names of at least two characters.
    let parameters = KeyParameters(
      role: role, sessionName: "u-\(scope.name)", policy: policy, lifetime: scope.lifetime, region: region,
      tokenService: sts)
    return provider.cloud.keyIssuer(for: parameters, keys: keys)
  }

  private func signingRoutes(for callerFile: CallerFile) throws -> TokenServerRoutes {
    // With an invalid rule, the server must not start and fail at the first request.
    _ = try rule.policy(of: "example").checkedRules(isBucket: provider.cloud.isBucket)
    let keys = try credentials.cache(for: provider.cloud)
    let stores = try shared.makeStores(of: "sign")
    let signing = try provider.cloud.signingAccount(region: region ?? "", endpoint: endpoint, keys: keys)
    let service = SigningService<CallerContext>(signing) { [rule, lifetime] context in
      context.caller.map { SigningRules(rule.policy(of: $0), lifetime: .seconds(lifetime)) }
    }
    let router = router(for: callerFile)
    let authentication = CallerAuthentication(callerFile: callerFile, rateLimit: rateLimit, rateStore: stores.rates)
    service.addRoutes(to: router.group().add(middleware: authentication))
    return TokenServerRoutes(
      router: router, service: service, metrics: [StorageMetrics(keys.events, factory: StatusServer.registry)],
      checks: [.credential("key", in: keys)] + stores.checks)
  }

  private func router(for callerFile: CallerFile) -> Router<CallerContext> {
    let router = Router(context: CallerContext.self)
    router.add(middleware: ResponseLog(callerFile: callerFile))
    router.add(middleware: RequestMetricsMiddleware(factory: StatusServer.registry))
    router.add(middleware: UnauthenticatedLimitMiddleware())
    return router
  }

  /// Runs the server until a signal ends it, and prints its URL when it is ready.
  private func serve(_ routes: TokenServerRoutes, at path: String, for callerFile: CallerFile) async throws {
    // `ResponseLog` prints a line for each response, which the server would only repeat.
    var errorLogger = Logger(label: "token-server")
    errorLogger.logLevel = .error
    let limits = limits.limits
    let certificate = try tls.readCertificate()
    let scheme = certificate == nil ? "http" : "https"
    let statusServer = try await StatusServer.start(status, routes.checks, observers: routes.metrics)
    let services: [(any Service)?] = [statusServer, await ReloadService(callerFile, certificate), routes.service]
    let application = Application(
      router: routes.router,
      server: certificate.map { .https(limits, certificate: $0.certificate, allowsHTTP2: tls.http2) } ?? .http1(limits),
      configuration: .init(
        address: .hostname(host, port: port), serverName: nil,
        availableConnectionsDelegate: limits.availableConnections),
      services: services.compactMap { $0 },
      onServerRunning: { [host, json = output.json] channel in
        let authority = ServerAddress.authority(host: host, port: channel.localAddress?.port ?? 0)
        let url = "\(scheme)://\(authority)\(path)"
        if json {
          Terminal.printJSON(
            document: statusServer.map { #"{"status":"\#($0.url)","url":"\#(url)"}"# } ?? #"{"url":"\#(url)"}"#)
        } else {
          Terminal.printLine(url)
          if let statusServer { Terminal.printLine("\(statusServer.url)/metrics") }
        }
      }, logger: errorLogger)
    try await CommandFailure.reportingListenErrors(on: host, port) {
      try await application.runService(gracefulShutdownSignals: [.sigint, .sigterm])
    }
  }
}

/// The routes of a token server in one of its two modes, and what runs beside them.
struct TokenServerRoutes {
  let router: Router<CallerContext>
  let service: any Service
  let metrics: [StorageMetrics]
  let checks: [HealthCheck]
}

struct LimitOptions: ParsableArguments {
  @Option(help: .text("The maximum number of open connections; further ones wait until one is closed.", value: "count"))
  var maxConnections = 500

  @Option(help: .text("The maximum time for the TLS handshake, and for the head of a request.", value: "seconds"))
  var headTimeout = 10

  @Option(help: .text("The maximum time for which a connection may be open without a request.", value: "seconds"))
  var idleTimeout = 60

  func validate() throws {
    try (1...1_000_000).require(maxConnections, of: "--max-connections")
    try (1...3600).require(headTimeout, of: "--head-timeout")
    try (1...86_400).require(idleTimeout, of: "--idle-timeout")
  }

  var limits: ConnectionLimits {
    ConnectionLimits(
      connections: maxConnections, headTimeout: .seconds(headTimeout), idleTimeout: .seconds(idleTimeout))
  }
}

/// A service that reads the files of a token server again after SIGHUP.
struct ReloadService: Service {
  let callerFile: CallerFile
  let certificate: CertificateFiles?
  private let signals: UnixSignalsSequence

  /// Creates the service; from now on SIGHUP does not end the process.
  init(_ callerFile: CallerFile, _ certificate: CertificateFiles?) async {
    self.callerFile = callerFile
    self.certificate = certificate
    signals = await UnixSignalsSequence(trapping: .sighup)
  }

  func run() async {
    for await _ in signals.cancelOnGracefulShutdown() {
      reload("callers") { try callerFile.reload() }
      if let certificate { reload("certificate") { try certificate.reload() } }
    }
  }

  private func reload(_ subject: String, by readAgain: () throws -> Void) {
    let time = Timestamp.now.iso8601
    do {
      try readAgain()
      Terminal.printNote("\(time) reloaded the \(subject)")
    } catch {
      Terminal.printNote("\(time) kept the previous \(subject): \(error)")
    }
  }
}

/// The options for what each caller may do with the objects below its prefix.
struct RuleOptions: ParsableArguments {
  static let callerPlaceholder = "{caller}"

  @Option(help: "The bucket; for COS with the number of the app (APPID).") var bucket: String
  @Option(help: "The prefix of a caller, in which \(callerPlaceholder)/ stands for its name.")
  var prefix = "\(callerPlaceholder)/"

  @Option(
    help: .text("The permitted actions, separated by commas: read,write,delete,list; repeatable.", value: "actions"))
  var allow: [ActionList] = [ActionList(actions: [.write])]

  @Option(help: .text("The maximum size of an uploaded object.", value: "bytes")) var maxSize: Int64?
  @Option(help: "A permitted media type of uploaded objects; repeatable.") var type: [String] = []

  /// Throws an error if the prefix of one caller could match objects of another.
  func requireSeparatePrefixes() throws {
    let parts = prefix.components(separatedBy: Self.callerPlaceholder)
    guard parts.count > 1 else { return }
    // Only a character that cannot be part of a name marks the end of the name.
    guard parts.dropFirst().contains(where: { $0.utf8.first.map { !CallerList.isNameByte($0) } ?? false }) else {
      throw ValidationError(
        "With --prefix '\(prefix)' the caller alice could access objects of a caller alicex, because the prefix of one "
          + "begins with that of the other. Put a slash right after \(Self.callerPlaceholder), as in "
          + "'\(parts[0])\(Self.callerPlaceholder)/'.")
    }
  }

  func policy(of caller: String) -> AccessPolicy {
    var rule = AccessRule(
      objects: .prefix(prefix.replacing(Self.callerPlaceholder, with: caller)), in: bucket, upTo: maxSize,
      types: type.isEmpty ? nil : type)
    rule.actions = Set(allow.flatMap(\.actions))
    return AccessPolicy([rule])
  }
}

/// Permitted actions, separated by commas.
struct ActionList {
  let actions: [AccessAction]
  var defaultValueDescription: String { actions.map(\.rawValue).joined(separator: ",") }
}

extension ActionList: ExpressibleByArgument {
  init?(argument: String) {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false)
    let actions = names.compactMap { AccessAction(rawValue: String($0)) }
    guard actions.count == names.count else { return nil }
    self.init(actions: actions)
  }
}
