// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Hummingbird
internal import NIOCore

/// A middleware that limits how many refusals a peer address receives for requests that no caller has authenticated.
///
/// It counts the responses with the status 401 (no caller), 404 and 405 (no route), and replaces those beyond the limit
/// by the status 429. All other responses pass, so that a stranger behind the same proxy cannot keep an authenticated
/// caller out. Callers have limits of their own.
///
/// The addresses are counted in a table of bounded size, IPv6 addresses by their first 64 bits. Behind a proxy, the
/// peer is the proxy.
public struct UnauthenticatedLimitMiddleware<Context: RemoteAddressRequestContext>: RouterMiddleware {
  private let limit: RateLimit
  private let peers: MemoryRateStore
  private let time: any SigningClock

  /// Creates a middleware with an empty table.
  ///
  /// - Parameters:
  ///   - limit: The maximum rate of refusals for each peer address.
  ///   - peerLimit: The maximum number of peer addresses in the table.
  ///   - time: The clocks of the middleware.
  public init(_ limit: RateLimit = .perMinute(60), peerLimit: Int = 10_000, time: any SigningClock = .system) {
    self.limit = limit
    peers = MemoryRateStore(limit: peerLimit)
    self.time = time
  }

  /// Passes on a request, and returns its response unless it is a refusal beyond the limit.
  ///
  /// - Throws: An `HTTPError` with the status 429 for a refusal beyond the limit, or the error of `next`.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      let response = try await next(request, context)
      try await applyLimit(to: response.status, of: context.remoteAddress)
      return response
    } catch let error as any HTTPResponseError {
      try await applyLimit(to: error.status, of: context.remoteAddress)
      throw error
    }
  }

  private func applyLimit(to status: HTTPResponse.Status, of peer: SocketAddress?) async throws {
    guard [.unauthorized, .notFound, .methodNotAllowed].contains(status),
      let delay = await peers.take(peer.networkName, limit: limit, at: time.uptime)
    else { return }
    throw HTTPError(
      .tooManyRequests, headers: [.retryAfter: "\(delay.components.seconds + 1)"],
      message: "Too many requests without a valid login from this address.")
  }
}

extension SocketAddress? {
  /// The address without its port, and for IPv6 without the last 64 bits, which each device chooses.
  fileprivate var networkName: String {
    guard let text = self?.ipAddress, let address = NetworkAddress(text) else { return "" }
    return address.bytes.prefix(8).map(String.init).joined(separator: ".")
  }
}

/// A middleware that rejects requests whose `Host` header is not a name of this machine.
///
/// It protects servers on a loopback address that give access without a login against DNS rebinding. A web page whose
/// host name resolves to 127.0.0.1 can send requests to such a server and read the responses, but the requests contain
/// the page's own host name.
public struct LoopbackHostMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Creates a middleware that accepts only the names of this machine.
  public init() {}

  /// Passes on a request whose `Host` header is a name of this machine.
  ///
  /// - Throws: An `HTTPError` with the status 403 for any other request, or the error of `next`.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    // A second Host header appears among the other headers.
    guard LoopbackHost.isNamed(by: request.head.authority),
      !request.headers.contains(where: { $0.name.canonicalName == "host" })
    else {
      throw HTTPError(
        .forbidden, message: "The Host header does not name this machine. Use localhost or 127.0.0.1 in the URL.")
    }
    return try await next(request, context)
  }
}
