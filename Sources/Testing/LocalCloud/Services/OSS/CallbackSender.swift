// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import OSSAuth
public import StorageAuth
internal import StorageCrypto

/// The part of the simulated OSS service that signs and sends the callbacks after uploads.
final class CallbackSender: Sendable {
  /// The path of the public key on the port of the token services.
  static let keyPath = "/callback_pub_key_v1.pem"
  /// The time in which the server of the app must respond, as in OSS.
  private static let timeLimit = Duration.seconds(5)
  /// The maximum size, in bytes, of a response, as in OSS.
  private static let replyByteLimit = 3 * 1024 * 1024

  private let configuration: LocalCloud.Callbacks
  private let sleep: @Sendable @concurrent (Duration) async throws -> Void
  private let key: PrivateKey
  private let location = Lock("")

  /// The URL of the public key, which is known once the port of the token services is bound.
  var keyURL: String {
    get { location.withLock { $0 } }
    set { location.withLock { $0 = newValue } }
  }

  var publicKey: [UInt8] { Array((key.publicKey.pem ?? "").utf8) }

  init(
    _ configuration: LocalCloud.Callbacks, sleep: @escaping @Sendable @concurrent (Duration) async throws -> Void
  ) throws(LocalCloudError) {
    (self.configuration, self.sleep) = (configuration, sleep)
    do {
      key = try PrivateKey.generateRSA(bits: 2048)
    } catch {
      throw LocalCloudError("The key that signs callbacks cannot be generated: \(error).")
    }
  }

  /// Sends a callback to its URLs in their order, until one responds with success, and returns the response's body.
  ///
  /// - Throws: `CallbackFailed` if the body is too large, or with the reason of the last URL.
  func send(
    _ callback: RequestedCallback, setting variables: RequestedCallback.SystemVariables
  ) async throws(ErrorResponse) -> [UInt8] {
    let body = try callback.body(setting: variables)
    var lastError = ErrorResponse.callbackFailed("Error status : 502.")
    for url in callback.urls {
      do throws(ErrorResponse) {
        return try await post(body, callback.mediaType, to: url)
      } catch {
        lastError = error
      }
    }
    throw lastError
  }

  private func post(_ body: [UInt8], _ type: String, to url: ServiceURL) async throws(ErrorResponse) -> [UInt8] {
    guard LoopbackHost.isNamed(by: url.authority) || configuration.hosts.contains(url.authority) else {
      throw .callbackFailed("Error status : -1. This server sends callbacks to this machine only.")
    }
    guard let message = CallbackMessage.bytes(target: url.path, body: body),
      let signature = try? key.sign(message, with: .rsaPKCS1MD5)
    else { throw .callbackFailed("Error status : -1. The callbackUrl cannot be signed.") }
    var request = url.call(.post, headers: [.contentType: type], body: body).request
    request.headerFields[.authorization] = signature.base64
    request.headerFields[.ossPublicKeyURL] = Array(keyURL.utf8).base64
    request.headerFields[.userAgent] = "localcloud"
    guard let (status, reply) = try await response(to: request, body) else {
      let limit = "\(Self.timeLimit.components.seconds * 1000)ms"
      throw .callbackFailed("Error status : -1 \(url.authority) reply timeout, cost:\(limit), timeout:\(limit).")
    }
    guard status == .ok else { throw .callbackFailed("Error status : \(status.code).") }
    guard let reply else { throw .callbackFailed("Response body is too large.") }
    guard (try? JSONValue(parsing: reply)) != nil else {
      throw .callbackFailed("Response body is not valid json format.")
    }
    return reply
  }

  /// Returns the status and the body of a response, or `nil` if it is too large or too late.
  private func response(
    to request: HTTPRequest, _ body: [UInt8]
  ) async throws(ErrorResponse) -> (HTTPResponse.Status, [UInt8]?)? {
    let outcome = await withTaskGroup(of: Result<(HTTPResponse.Status, [UInt8]?)?, ErrorResponse>.self) { group in
      group.addTask { [transport = configuration.transport] in
        do {
          let reply = try await transport.send(request, body: .bytes(body))
          return .success((reply.response.status, try await reply.body.collected(upTo: Self.replyByteLimit)))
        } catch {
          return .failure(.callbackFailed("Error status : 502."))
        }
      }
      group.addTask { [sleep] in
        try? await sleep(Self.timeLimit)
        return .success(nil)
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .success(nil)
    }
    return try outcome.get()
  }
}

extension ErrorResponse {
  /// Creates the response to an upload whose object is stored, but whose callback failed.
  static func callbackFailed(_ message: String) -> ErrorResponse {
    ErrorResponse(.nonAuthoritativeInformation, "CallbackFailed", message)
  }

  /// Whether the request had its effect although the response reports an error.
  var isStored: Bool { status == .nonAuthoritativeInformation }
}

/// The handler that returns the public key with which callbacks are verified.
struct CallbackKeyHandler: SynchronousAPIHandler {
  let sender: CallbackSender
  let endpoint = LocalCloud.Endpoint.sts

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call.request.method == .get else { throw .methodNotAllowed(call.request.method.rawValue) }
    return Answer(headers: [.contentType: "application/x-pem-file"], body: .bytes(sender.publicKey))
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer { Answer(error.status) }
}

extension LocalCloud {
  /// The configuration of the callbacks that the simulated OSS service sends after uploads.
  ///
  /// The server signs callbacks with an RSA key that it generates when it starts, and publishes the public key at
  /// ``LocalCloud/callbackKeyURL``.
  ///
  /// ```swift
  /// var configuration = LocalCloud.Configuration(accounts: [.init(key)], buckets: ["photos"])
  /// configuration.callbacks = LocalCloud.Callbacks(transport: AsyncHTTPClientTransport.shared)
  /// ```
  public struct Callbacks: Sendable {
    /// The transport that sends the callbacks.
    public var transport: any HTTPTransport

    /// The hosts other than this machine that may receive callbacks, each with its port if a URL contains one.
    ///
    /// A client chooses the URL of a callback, so that a server that accepted any URL would send requests to other
    /// machines for its clients.
    public var hosts: Set<String>

    /// Creates a configuration of callbacks; the parameters are the properties.
    public init(transport: any HTTPTransport, hosts: Set<String> = []) {
      (self.transport, self.hosts) = (transport, hosts)
    }
  }
}

/// A callback that follows an upload, with what sends it.
struct CallbackPlan: Sendable {
  let callback: RequestedCallback
  let sender: CallbackSender
  /// The name of the operation, as the variable `operation` contains it.
  let operation: String
  let requestID: String
}

extension Gateway {
  /// Returns the plan for the callback that an upload names, which is parsed only if the server sends callbacks.
  func callbackPlan(
    _ operation: String, _ requestID: String, isRequested: Bool,
    _ callback: () throws(ErrorResponse) -> RequestedCallback?
  ) throws(ErrorResponse) -> CallbackPlan? {
    guard service.provider == .oss, isRequested else { return nil }
    guard let sender = context.callbacks else {
      throw .notImplemented(
        "This server sends no callbacks. Leave \(service.header("callback")) and \(service.header("callback-var")) out, or set "
          + "Configuration.callbacks.")
    }
    return try callback().map { CallbackPlan(callback: $0, sender: sender, operation: operation, requestID: requestID) }
  }

  /// Returns the plan for the callback of a request that uploads an object or completes a multipart upload.
  func callbackPlan(_ permit: Permit, _ head: HTTPRequest, _ requestID: String) throws(ErrorResponse) -> CallbackPlan? {
    let name: String
    switch permit.operation {
    case .putObject: name = "PutObject"
    case .completeUpload: name = "CompleteMultipartUpload"
    default: return nil
    }
    let isRequested = ["callback", "callback-var"].contains { name in
      head.headerFields.first(service.header(name))?.isEmpty == false || permit.target[ByteExactString(name)] != nil
    }
    return try callbackPlan(name, requestID, isRequested: isRequested) { () throws(ErrorResponse) in
      try RequestedCallback(headers: head.headerFields, target: permit.target)
    }
  }
}

extension Call {
  /// Sends the callback that an upload asks for, and returns the response to the upload.
  ///
  /// - Throws: `CallbackFailed` with the status 203, after which the object is stored.
  func calledBack(_ object: StoredObject, _ response: Answer) async throws -> Answer {
    guard let plan = callback else { return response }
    var response = response
    response.body = .bytes(try await plan.sender.send(plan.callback, setting: systemVariables(of: object, plan)))
    response.status = .ok
    response.headers[.contentType] = "application/json"
    return response
  }

  /// Returns the variables that OSS sets; those about images and the VPC, which this server lacks, are empty.
  private func systemVariables(of object: StoredObject, _ plan: CallbackPlan) -> RequestedCallback.SystemVariables {
    let mediaType = object.description.headers.first { $0.name == "Content-Type" }?.value
    let md5 = service.checksums(of: object.content)[.contentMD5]
    return [
      "bucket": .string(bucket), "object": .string(object.key.string),
      "etag": .string(object.content.entityTag.asciiUppercased), "size": .integer(object.content.byteCount),
      "mimeType": .string(mediaType ?? service.objects.contentType), "crc64": .string(String(object.content.crc64)),
      "contentMd5": .string(object.isMultipart ? "" : md5 ?? ""), "clientIp": "127.0.0.1",
      "reqId": .string(plan.requestID), "operation": .string(plan.operation),
    ]
  }
}
