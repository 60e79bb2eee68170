// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import StorageAuth
internal import StorageAuthServer

/// The context of a request, which contains the caller's name after ``CallerLogin`` has authenticated the caller.
struct CallerContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  var caller: String?
  let remoteAddress: SocketAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }
}

/// A middleware that authenticates callers and applies the rate limit to each caller.
struct CallerLogin: RouterMiddleware {
  typealias Context = CallerContext

  let callers: CallerFile
  /// The rate limit for each caller, or `nil` if requests are not limited.
  let limit: RateLimit?
  let rates: any RateStore

  func handle(
    _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
  ) async throws -> Response {
    let caller = try callers.caller(of: request)
    ResponseRecord.current?.authenticated(caller)
    try await count(caller)
    var context = context
    context.caller = caller
    return try await next(request, context)
  }

  /// Counts a request of a caller.
  ///
  /// - Throws: An `HTTPError` with the status 429 if the caller exceeds the limit, or 503 if the count is out of reach.
  private func count(_ caller: String) async throws {
    guard let limit else { return }
    let delay: Duration?
    do {
      delay = try await rates.take(caller, limit: limit, at: SystemTime.system.uptime)
    } catch {
      ResponseRecord.note("\(Timestamp.now.iso8601) \(caller) refused: \(error)")
      throw HTTPError(
        .serviceUnavailable, headers: [.retryAfter: "1"], message: "The server cannot count requests now.")
    }
    guard let delay else { return }
    throw HTTPError(
      .tooManyRequests, headers: [.retryAfter: "\(delay.components.seconds + 1)"],
      message: "Too many requests from this caller.")
  }
}
