// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import OSSAuth
public import StorageAuth
internal import StorageCrypto

/// The part of the simulated OSS service that signs and sends the callbacks after uploads, with the limits of OSS.
final class CallbackSender: Sendable {
  /// The path of the public key on the port of the token services.
  static let keyPath = "/callback_pub_key_v1.pem"
  private static let timeLimit = Duration.seconds(5)
  private static let replyByteLimit = 3 * 1024 * 1024
  private let configuration: LocalCloud.Callbacks
  private let sleep: @Sendable @concurrent (Duration) async throws -> Void
  private let key: PrivateKey
  private let lockedKeyURL = Lock("")

  /// The URL of the public key, which is known once the port of the token services is bound.
  var keyURL: String {
    get { lockedKeyURL.withLock { $0 } }
    set { lockedKeyURL.withLock { $0 = newValue } }
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

  /// Sends a callback to its URLs until one succeeds, and returns the response's body, or throws the last failure.
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

  private func post(_ body: [UInt8], _ mediaType: String, to url: ServiceURL) async throws(ErrorResponse) -> [UInt8] {
    guard LoopbackHost.isNamed(by: url.authority) || configuration.hosts.contains(url.authority) else {
      throw .callbackFailed("Error status : -1. This server sends callbacks to this machine only.")
    }
    guard let message = CallbackMessage.bytes(target: url.path, body: body),
      let signature = try? key.sign(message, with: .rsaPKCS1MD5)
    else { throw .callbackFailed("Error status : -1. The callbackUrl cannot be signed.") }
    var request = url.call(.post, headers: [.contentType: mediaType], body: body).request
    request.headerFields[.authorization] = signature.base64
    request.headerFields[.ossPublicKeyURL] = Array(keyURL.utf8).base64
    request.headerFields[.userAgent] = "localcloud"
    guard let reply = try await reply(to: request, body) else {
      let time = "\(Self.timeLimit.components.seconds * 1000)ms"
      throw .callbackFailed("Error status : -1 \(url.authority) reply timeout, cost:\(time), timeout:\(time).")
    }
    guard reply.status == .ok else { throw .callbackFailed("Error status : \(reply.status.code).") }
    guard let replyBody = reply.body else { throw .callbackFailed("Response body is too large.") }
    guard (try? JSONValue(parsing: replyBody)) != nil else {
      throw .callbackFailed("Response body is not valid json format.")
    }
    return replyBody
  }

  private typealias Reply = (status: HTTPResponse.Status, body: [UInt8]?)

  /// Returns the response to a request, without a body that is too large, or `nil` after the time limit.
  private func reply(to request: HTTPRequest, _ body: [UInt8]) async throws(ErrorResponse) -> Reply? {
    let outcome = await withTaskGroup(of: Result<Reply?, ErrorResponse>.self) { group in
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
  static func callbackFailed(_ message: String) -> ErrorResponse {
    ErrorResponse(.nonAuthoritativeInformation, "CallbackFailed", message)
  }

  /// Whether the request had its effect although the response reports an error.
  var isStored: Bool { status == .nonAuthoritativeInformation }
}

/// The handler of requests for the public key with which receivers verify callbacks.
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
    /// Clients choose the URLs of callbacks. The list keeps the server from sending their requests to other machines.
    public var hosts: Set<String>

    /// Creates a configuration of callbacks; the parameters are the properties.
    public init(transport: any HTTPTransport, hosts: Set<String> = []) {
      (self.transport, self.hosts) = (transport, hosts)
    }
  }
}

/// A callback that follows an upload, with its sender and the values of its variables `operation` and `reqId`.
struct CallbackPlan: Sendable {
  let callback: RequestedCallback
  let sender: CallbackSender
  let operation, requestID: String
}

extension Gateway {
  /// Returns the plan for the callback that an upload requests, which is parsed only if the server sends callbacks.
  func callbackPlan(
    _ operation: String, _ requestID: String, isRequested: Bool,
    _ parseCallback: () throws(ErrorResponse) -> RequestedCallback?
  ) throws(ErrorResponse) -> CallbackPlan? {
    guard service.provider == .oss, isRequested else { return nil }
    guard let sender = context.callbacks else {
      let headers = "\(service.header("callback")) and \(service.header("callback-var"))"
      throw .notImplemented("This server sends no callbacks. Leave \(headers) out, or set Configuration.callbacks.")
    }
    return try parseCallback().map {
      CallbackPlan(callback: $0, sender: sender, operation: operation, requestID: requestID)
    }
  }

  func callbackPlan(_ permit: Permit, _ head: HTTPRequest, _ requestID: String) throws(ErrorResponse) -> CallbackPlan? {
    let isPut = permit.operation == .putObject
    guard isPut || permit.operation == .completeUpload else { return nil }
    let operation = isPut ? "PutObject" : "CompleteMultipartUpload"
    let isRequested = ["callback", "callback-var"].contains { name in
      head.headerFields.first(service.header(name))?.isEmpty == false || permit.target[ByteExactString(name)] != nil
    }
    return try callbackPlan(operation, requestID, isRequested: isRequested) { () throws(ErrorResponse) in
      try RequestedCallback(headers: head.headerFields, target: permit.target)
    }
  }
}

extension Call {
  /// Sends the callback of an upload, whose object stays stored if this fails, and returns the response to the upload.
  func sendCallback(for object: StoredObject, _ response: Answer) async throws -> Answer {
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
