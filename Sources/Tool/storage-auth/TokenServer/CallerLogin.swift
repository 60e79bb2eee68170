// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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

/// A middleware that logs one line for each response of a token server, whatever its status.
///
/// The line contains the time, the caller, the method, the path, the status and the address of the peer. It contains
/// neither a header nor the query, and tokens of callers in the path are masked.
struct ResponseLog: RouterMiddleware {
  typealias Context = CallerContext

  private static let pathByteLimit = 256

  let callers: CallerFile

  func handle(
    _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
  ) async throws -> Response {
    let record = ResponseRecord()
    do {
      let response = try await ResponseRecord.$current.withValue(record) { try await next(request, context) }
      log(request, context, response.status, record)
      return response
    } catch {
      let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
      log(request, context, status, record)
      throw error
    }
  }

  private func log(
    _ request: Request, _ context: CallerContext, _ status: HTTPResponse.Status, _ record: ResponseRecord
  ) {
    let path = callers.masked(path: request.uri.path).shortened(to: Self.pathByteLimit)
    let method = request.method.rawValue.shortened(to: Self.pathByteLimit)
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

  func authenticated(_ caller: String) { state.withLock { $0.caller = caller } }

  /// Adds a text to the line of the request, or logs a line of its own if the task handles no request.
  static func note(_ text: String) {
    guard let current else { return Terminal.note(text) }
    current.state.withLock { $0.details = text }
  }
}
