// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

/// The options for the sources of keys, and for the connections to them and to services.
struct CredentialOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-metadata"),
    help: "Skip the metadata service of the instance, so that the command does not wait for a role of the machine.")
  var skipsMetadata = false

  @Option(
    help: .text(
      "A PEM file with the certificate authorities to trust, in place of those of the system.", value: "file"))
  var caFile: String?

  func validate() throws { try network.validate() }

  // As an option group of its own, this would be validated hundreds of times in a debug build.
  var network: NetworkOptions { NetworkOptions(caFile: caFile) }

  func cache(for cloud: any Cloud) throws -> CredentialCache<AccessKey> {
    let cache = CredentialCache(chain(for: cloud), in: try .commandLine(network))
    EventLog.traceEvents(of: cache.events)
    return cache
  }

  func chain(for cloud: any Cloud, only source: String? = nil) -> CredentialChain<AccessKey> {
    cloud.sources.chain { (source == nil || source == $0) && !(skipsMetadata && $0 == "metadata") }
  }
}

extension ProviderContext {
  static func commandLine(
    _ network: NetworkOptions? = nil,
    onWarning: @escaping @Sendable (CredentialWarning) -> Void = { Terminal.printWarning("\($0)") }
  ) throws -> ProviderContext {
    var context = ProviderContext.system
    if let network { context.transport = try network.credentialTransport }
    context.onWarning = onWarning
    return context
  }
}

/// The choices for connections to services; proxies come from the environment or from a file with settings.
struct NetworkOptions: Hashable {
  /// The transports of this process, which clients with the same options share.
  private static let transports = Lock<[NetworkOptions: AsyncHTTPClientTransport]>([:])

  let caFile: String?
  private var isForCredentials = false

  init(caFile: String?) { self.caFile = caFile }

  var transport: any HTTPTransport { get throws { LoggedTransport(base: try sharedTransport()) } }

  /// The transport for credential sources; their requests without TLS contain secrets, and are never sent to a proxy.
  var credentialTransport: any HTTPTransport {
    get throws {
      var options = self
      options.isForCredentials = true
      return try options.transport
    }
  }

  func validate() throws { _ = try sharedTransport() }

  private func sharedTransport() throws -> AsyncHTTPClientTransport {
    if let existing = Self.transports.withLock({ $0[self] }) { return existing }
    let transport: AsyncHTTPClientTransport
    do throws(TransportError) {
      let settings = Settings.client
      var proxy = try ProxyConfiguration.environment
      proxy.https = proxy.https ?? settings.proxy.https
      proxy.http = isForCredentials ? nil : proxy.http ?? settings.proxy.http
      if proxy.exclusions == .none { proxy.exclusions = settings.proxy.exclusions }
      let isDefault = proxy.http == nil && proxy.https == nil && !settings.isConfigured && caFile == nil
      let roots = caFile.map { TrustedRoots.file($0) } ?? .system
      transport =
        isDefault
        ? .shared : try AsyncHTTPClientTransport(timeouts: settings.timeouts, proxy: proxy, trustedRoots: roots)
    } catch {
      throw ValidationError("\(error.message) \(error.remedy)")
    }
    return Self.transports.withLock { transports in
      // Another task can have been faster.
      let first = transports[self] ?? transport
      transports[self] = first
      return first
    }
  }
}
