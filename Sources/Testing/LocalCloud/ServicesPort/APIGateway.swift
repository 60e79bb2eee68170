// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import StorageAuth

/// An API beside the storage services, whose calls are read whole and whose errors are documents in its own format.
protocol APIHandler: Sendable {
  /// The endpoint whose statistics count the errors of the API; ``APIGateway/endpoint(of:)`` returns that of a request.
  var endpoint: LocalCloud.Endpoint { get }

  /// Authenticates the caller, carries the call out and returns the response.
  func response(to call: InboundCall) async throws -> Answer
  func response(for error: ErrorResponse, to call: InboundCall) -> Answer
}

/// An API that computes its responses without waiting, as all APIs on the port of the token services do.
protocol SynchronousAPIHandler: APIHandler {
  func response(to call: InboundCall) throws(ErrorResponse) -> Answer
}

/// The request handler of a port that one or several APIs share.
protocol APIGateway: Sendable {
  var context: CloudContext { get }
  var bodyByteLimit: Int { get }

  /// The error code for a body that is too long, and the one for an error that is not the client's.
  var errorCodes: (tooLong: String, failure: String) { get }

  /// The files from which responses are sent, or `nil` if all responses are documents.
  var blobs: BlobStore? { get }

  /// Returns the endpoint that a request is addressed to, before its body is read.
  func endpoint(of request: HTTPRequest) -> LocalCloud.Endpoint

  /// Returns the error for a request whose body need not be read, or `nil`.
  func headError(of request: HTTPRequest) -> ErrorResponse?
  func makeRequestID() -> String

  /// Returns the API that responds to a call, which may depend on the parameters in the body.
  func handler(for call: InboundCall) -> any APIHandler
}

extension APIGateway {
  var blobs: BlobStore? { nil }

  func headError(of request: HTTPRequest) -> ErrorResponse? {
    request.path?.utf8.first == UInt8(ascii: "/") ? nil : .unreadableTarget
  }

  func makeRequestID() -> String { BlobID.random().description }

  @concurrent
  func respond(to request: Request, with writer: consuming ResponseWriter, _ record: RequestRecord?) async throws {
    let exchange = context.beginExchange(at: endpoint(of: request.head), record)
    let date = context.now
    var injectedStatus = try await exchange.injectFaultsBeforeOperation()
    let headError = headError(of: request.head)
    let readsBody = injectedStatus == nil && headError == nil
    if readsBody, request.headers[.expect]?.asciiLowercased == "100-continue" {
      try await writer.writeInformationalHead(HTTPResponse(status: .continue))
    }
    let body = readsBody ? try await request.body.bytes(upTo: bodyByteLimit) : []
    let call = InboundCall(request.head, body: body ?? [], requestID: makeRequestID(), at: date)
    let handler = handler(for: call)
    var response = Answer()
    if injectedStatus == nil {
      do {
        if let headError { throw headError }
        guard body != nil else { throw ErrorResponse(.contentTooLarge, errorCodes.tooLong, "The body is too long.") }
        response = try await handler.response(to: call)
      } catch {
        let error = ErrorResponse(of: error, failureCode: errorCodes.failure)
        context.counters.countRefusal(error.code, by: handler.endpoint)
        record?.noteRefusal(error.code, error.message)
        response = handler.response(for: error, to: call)
      }
      injectedStatus = try await exchange.injectFaultsAfterOperation(&response)
    }
    if let injectedStatus { response = handler.response(for: .injected(injectedStatus), to: call) }
    response.headers[.date] = date.httpDate
    response.headers[.server] = "localcloud"
    try await exchange.send(response, to: request.method, with: writer, from: blobs)
  }
}

extension JSONValue {
  static func integer(_ number: some BinaryInteger) -> JSONValue { .number(JSONNumber(number)) }
  static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

  /// The value, or `nil` if it is `null`, which the APIs treat like a missing member.
  var unlessNull: JSONValue? { self == .null ? nil : self }

  /// Returns an integer, or `nil` for `null`; throws the Node API's error for any other value, or a lower integer.
  func integer(atLeast minimum: Int = .min, _ message: String) throws(ErrorResponse) -> Int? {
    guard let value = unlessNull else { return nil }
    guard let number = value.integer, number >= minimum else { throw .nodeBadRequest(message) }
    return number
  }
}

extension JSONObject {
  /// Creates an object from those of the members that are not `nil`.
  init(present members: KeyValuePairs<String, JSONValue?>) {
    self.init()
    for (name, value) in members { self[name] = value }
  }
}
