internal import HTTPTypes
internal import Hummingbird
internal import StorageAuth
internal import StorageAuthServer

/// What is known about a request: who asks, once ``CallerLogin`` has found it out.
struct CallerContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var caller: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// Lets callers of a list in, as often as they may ask, and leaves a line for each request.
struct CallerLogin: RouterMiddleware {
  typealias Context = CallerContext

  let callers: CallerList
  /// Nothing for no limit.
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
