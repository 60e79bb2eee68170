// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import StorageAuthServer

/// A middleware that logs one line for each response of a token server, whatever its status.
///
/// The line contains the time, the caller, the method, the path, the status and the address of the peer. It contains
/// neither a header nor the query, and tokens of callers in the path are masked.
struct ResponseLog: RouterMiddleware {
  typealias Context = CallerContext

  /// The maximum length, in bytes, of the path and of the method in a line.
  private static let fieldByteLimit = 256

  let callerFile: CallerFile

  func handle(
    _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
  ) async throws -> Response {
    let record = ResponseRecord()
    do {
      let response = try await ResponseRecord.$current.withValue(record) { try await next(request, context) }
      log(request, context, status: response.status, record)
      return response
    } catch {
      let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
      log(request, context, status: status, record)
      throw error
    }
  }

  private func log(
    _ request: Request, _ context: CallerContext, status: HTTPResponse.Status, _ record: ResponseRecord
  ) {
    let path = callerFile.maskedPath(request.uri.path).shortened(to: Self.fieldByteLimit)
    let method = request.method.rawValue.shortened(to: Self.fieldByteLimit)
    let peer = context.remoteAddress?.ipAddress ?? "an unknown address"
    let (caller, details) = record.contents
    Terminal.note(
      details.map { "\($0) (\(method) \(path): \(status.code) from \(peer))" }
        ?? "\(Timestamp.now.iso8601) \(caller ?? "-") \(method) \(path): \(status.code) from \(peer)")
  }
}

/// A record of what the handlers of a request have found out before its response is logged.
final class ResponseRecord: Sendable {
  /// The record of the request that the current task handles.
  @TaskLocal static var current: ResponseRecord?

  private let state = Lock<(caller: String?, details: String?)>((nil, nil))

  /// The name of the caller, or `nil` if none was authenticated; and a text that begins with the time and the caller.
  var contents: (caller: String?, details: String?) { state.withLock { $0 } }

  func record(caller: String) { state.withLock { $0.caller = caller } }

  /// Adds a text to the line of the request, or logs a line of its own if the task handles no request.
  static func note(_ text: String) {
    guard let current else { return Terminal.note(text) }
    current.state.withLock { $0.details = text }
  }
}
