public import Hummingbird
internal import StorageAuth

/// Refuses requests whose Host header does not name this machine, for servers that listen on loopback and give something
/// away without a login.
///
/// It closes DNS rebinding: a web page whose name is made to point to 127.0.0.1 can send requests to such a server and
/// read the answers, but its requests carry the page's own name.
///
/// ```swift
/// let router = Router()
/// router.add(middleware: LoopbackHostMiddleware())
/// ```
public struct LoopbackHostMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Makes the middleware.
  public init() {}

  /// Hands a request on that names this machine.
  ///
  /// - Throws: An `HTTPError` with the status 403 for any other.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    // A second Host header stands among the other headers.
    guard LoopbackHost.isNamed(by: request.head.authority),
      !request.headers.contains(where: { $0.name.canonicalName == "host" })
    else {
      throw HTTPError(
        .forbidden, message: "The Host header does not name this machine. Use localhost or 127.0.0.1 in the URL.")
    }
    return try await next(request, context)
  }
}
