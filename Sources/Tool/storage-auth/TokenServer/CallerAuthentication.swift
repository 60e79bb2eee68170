// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import NIOCore
internal import StorageAuthServer

/// The context of a request, with the caller's name after ``CallerAuthentication`` has authenticated the caller.
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
struct CallerAuthentication: RouterMiddleware {
  typealias Context = CallerContext

  let callers: CallerFile
  let rateLimit: RateLimit?
  let rateStore: any RateStore

  func handle(
    _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
  ) async throws -> Response {
    let caller = try callers.authenticate(request)
    ResponseRecord.current?.record(caller: caller)
    try await applyRateLimit(to: caller)
    var context = context
    context.caller = caller
    return try await next(request, context)
  }

  private func applyRateLimit(to caller: String) async throws {
    guard let rateLimit else { return }
    let delay: Duration?
    do {
      delay = try await rateStore.take(caller, limit: rateLimit, at: SystemTime.system.uptime)
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
