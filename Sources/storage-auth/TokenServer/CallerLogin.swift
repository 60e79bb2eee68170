// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird
internal import StorageAuth
internal import StorageAuthServer

/// The context of a request, which contains the caller's name after ``CallerLogin`` has authenticated the caller.
struct CallerContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var caller: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// A middleware that authenticates callers, applies the rate limit to each caller and logs each request.
struct CallerLogin: RouterMiddleware {
  typealias Context = CallerContext

  let callers: CallerList
  /// The rate limit for each caller, or `nil` if requests are not limited.
  let limit: RateLimit?
  private let rates = MemoryRateStore()

  init(callers: CallerList, limit: RateLimit?) {
    self.callers = callers
    self.limit = limit
  }

  func handle(
    _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
  ) async throws -> Response {
    let caller = try callers.caller(of: request)
    if let limit, let delay = await rates.take(caller, limit: limit, at: SystemTime.system.uptime) {
      throw HTTPError(
        .tooManyRequests, headers: [.retryAfter: "\(delay.components.seconds + 1)"],
        message: "Too many requests from this caller.")
    }
    var context = context
    context.caller = caller
    let response = try await next(request, context)
    Terminal.note(
      "\(Timestamp.now.iso8601) \(caller) \(request.method) \(request.uri.path): \(response.status.code)")
    return response
  }
}
