// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import Hummingbird

/// A middleware that counts requests and measures their duration with swift-metrics.
///
/// The counter `http_server_requests_total` has the labels `route`, `method` and `status`, and the timer
/// `http_server_request_duration_seconds` has the label `route`. A route is the pattern of a path, such as `/sign`, or
/// `none` for a path without a route. Nonstandard methods are `other`, so that clients cannot create metrics at will.
public struct RequestMetricsMiddleware<Context: RequestContext>: RouterMiddleware {
  private let factory: any MetricsFactory

  /// Creates a middleware.
  ///
  /// - Parameter factory: The metrics backend; by default, the one that the process has bootstrapped.
  public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

  /// Passes on a request, and counts its response.
  ///
  /// - Throws: The error of `next`.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    do {
      let response = try await next(request, context)
      record(request, context, response.status, since: start)
      return response
    } catch {
      let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
      record(request, context, status, since: start)
      throw error
    }
  }

  private func record(
    _ request: Request, _ context: Context, _ status: HTTPResponse.Status, since start: ContinuousClock.Instant
  ) {
    // The path of a request without a route is no pattern, which begins with a slash.
    let route = ("route", context.endpointPath.flatMap { $0.beginsWithByte("/") ? $0 : nil } ?? "none")
    let method = standardMethods.contains(request.method) ? request.method.rawValue : "other"
    Counter(
      label: "http_server_requests_total", dimensions: [route, ("method", method), ("status", "\(status.code)")],
      factory: factory
    ).increment()
    Timer(label: "http_server_request_duration_seconds", dimensions: [route], factory: factory)
      .recordSeconds(start.duration(to: .now) / .seconds(1))
  }
}

private let standardMethods: Set<HTTPRequest.Method> = [
  .get, .head, .post, .put, .delete, .connect, .options, .trace, .patch,
]
