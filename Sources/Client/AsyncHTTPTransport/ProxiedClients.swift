// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import HTTPTypes
internal import StorageAuth

/// The HTTP clients of a transport, each with its own proxy, because AsyncHTTPClient has one proxy for each client.
struct ProxiedClients: Sendable {
  private let direct: HTTPClient
  private let proxied: [(proxy: ProxyServer, client: HTTPClient)]
  private let proxies: ProxyConfiguration

  /// Creates a group with one existing client and without proxies.
  init(_ client: HTTPClient) {
    direct = client
    proxied = []
    proxies = .direct
  }

  /// Creates a client for direct connections, and one for each proxy.
  init(_ configuration: HTTPClient.Configuration, _ proxies: ProxyConfiguration) {
    func client(_ proxy: HTTPClient.Configuration.Proxy?) -> HTTPClient {
      var configuration = configuration
      configuration.proxy = proxy
      return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
    direct = client(nil)
    var servers = [proxies.https].compactMap(\.self)
    if let http = proxies.http, http != proxies.https { servers.append(http) }
    proxied = servers.map { ($0, client($0.clientProxy)) }
    self.proxies = proxies
  }

  /// All clients of the group.
  var all: [HTTPClient] { [direct] + proxied.map(\.client) }

  /// Returns the client for a request, and the proxy through which it connects.
  func client(for request: HTTPRequest) -> (HTTPClient, via: ProxyServer?) {
    guard let server = proxies.server(for: request.authority ?? "", scheme: request.scheme ?? "https"),
      let found = proxied.first(where: { $0.proxy == server })
    else { return (direct, nil) }
    return (found.client, server)
  }
}

extension ProxyServer {
  fileprivate var clientProxy: HTTPClient.Configuration.Proxy {
    .server(
      host: host, port: port,
      authorization: user.map { .basic(username: $0, password: password?.reveal() ?? "") })
  }
}
