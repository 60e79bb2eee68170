// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import StorageAuthServer

/// A middleware that logs one line for each response of a token server.
///
/// The line contains neither headers nor the query, and tokens of callers in the path are masked.
struct ResponseLog: RouterMiddleware {
  /// The maximum size of the path, and of the method, in bytes.
  private static let fieldByteLimit = 256

  let callerFile: CallerFile

  func handle(
    _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
  ) async throws -> Response {
    let record = ResponseRecord()
    do {
      let response = try await ResponseRecord.$current.withValue(record) { try await next(request, context) }
      log(request, context, status: response.status, record: record)
      return response
    } catch {
      let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
      log(request, context, status: status, record: record)
      throw error
    }
  }

  private func log(_ request: Request, _ context: CallerContext, status: HTTPResponse.Status, record: ResponseRecord) {
    let path = callerFile.maskedPath(request.uri.path).shortened(to: Self.fieldByteLimit)
    let method = request.method.rawValue.shortened(to: Self.fieldByteLimit)
    let peer = context.remoteAddress?.ipAddress ?? "an unknown address"
    let (caller, details) = record.contents
    Terminal.printNote(
      details.map { "\($0) (\(method) \(path): \(status.code) from \(peer))" }
        ?? "\(Timestamp.now.iso8601) \(caller ?? "-") \(method) \(path): \(status.code) from \(peer)")
  }
}

/// The details that the handlers of a request report for the log line of its response.
final class ResponseRecord: Sendable {
  @TaskLocal static var current: ResponseRecord?

  private let state = Lock<(caller: String?, details: String?)>((nil, nil))

  /// The name of the authenticated caller, and a text that begins with the time and the caller.
  var contents: (caller: String?, details: String?) { state.withLock { $0 } }
  func record(caller: String) { state.withLock { $0.caller = caller } }

  /// Adds details to the line of the current request, or logs them as a line of their own.
  static func add(_ details: String) {
    guard let current else { return Terminal.printNote(details) }
    current.state.withLock { $0.details = details }
  }
}
