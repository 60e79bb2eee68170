// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient
internal import StorageCrypto

/// A client with one connection to LocalCloud's transfer server, an HTTP service that replaces an Aspera server.
struct TransferServerClient: Sendable {
  /// The maximum size of a response in bytes: several chunks of a file.
  private static let responseByteLimit = 64 * 1024 * 1024
  private static let presenceInterval = Duration.seconds(3)
  private static let loopbackHosts = ["127.0.0.1", "localhost", "::1"]

  private let authority: String
  private let connectionID: String
  private let hostKey: String

  /// Connects to the transfer server of this machine, and rejects other hosts, because requests are not encrypted.
  private init(host: String, port: Int) async throws(Failure) {
    guard Self.loopbackHosts.contains(host) else {
      throw Failure(
        .connectionError, "Target address not available: the simulator reaches only the LocalCloud of this machine")
    }
    authority = "\(host == "::1" ? "[::1]" : host):\(port)"
    let response = try await Self.send(.post, "/connections", .bytes([]), to: authority, isFirstRequest: true)
    guard let document = try? JSONValue(parsing: response), let id = document["connection"]?.string,
      let hostKey = document["host_key"]?.string
    else { throw Failure(.protocolError, "The server is not the transfer desk of a LocalCloud") }
    connectionID = id
    self.hostKey = hostKey
  }

  /// Sends a document to an operation of the server, and returns the document in the response.
  @discardableResult func call(_ name: String, _ document: JSONValue) async throws(Failure) -> JSONValue {
    let response = try await send(.post, name, .bytes(document.serialized))
    guard let document = try? JSONValue(parsing: response) else {
      throw Failure(.protocolError, "The response of the transfer desk cannot be read")
    }
    return document
  }

  /// Tells the transfer server of a failure or a cancellation, even in a cancelled task.
  func abort(_ failure: Failure) async {
    await Task {
      _ = try? await call("abort", ["code": .number(JSONNumber(failure.code)), "description": .string(failure.text)])
    }.value
  }

  /// Starts a task that tells the transfer server from time to time that the client exists.
  func startShowingPresence() -> Task<Void, Never> {
    Task { while (try? await Task.sleep(for: Self.presenceInterval)) != nil { _ = try? await call("presence", [:]) } }
  }

  func write(_ bytes: [UInt8], to file: Int, at offset: Int64) async throws(Failure) {
    _ = try await send(.put, "files/\(file)?offset=\(offset)", .bytes(bytes))
  }

  func read(_ file: Int, from offset: Int64, count: Int64) async throws(Failure) -> [UInt8] {
    try await send(.get, "files/\(file)?offset=\(offset)&count=\(count)", .none)
  }

  private func send(_ method: HTTPRequest.Method, _ name: String, _ body: HTTPBody) async throws(Failure) -> [UInt8] {
    try await Self.send(method, "/connections/\(connectionID)/\(name)", body, to: authority)
  }

  private static func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: HTTPBody, to authority: String, isFirstRequest: Bool = false
  ) async throws(Failure) -> [UInt8] {
    var request = HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
    if method != .get { request.headerFields[.contentLength] = "\(body.length)" }
    let received: HTTPStreamingResponse
    do {
      received = try await AsyncHTTPClientTransport.shared.send(request, body: body)
    } catch { throw Failure(error, isFirstRequest: isFirstRequest) }
    guard let bytes = try? await received.body.collected(upTo: responseByteLimit) else {
      throw Failure(.connectionLost, "The connection to the transfer desk was lost")
    }
    if received.response.status == .ok { return bytes }
    guard let error = (try? JSONValue(parsing: bytes))?["error"], let code = error["code"]?.integer,
      let text = error["description"]?.string
    else { throw Failure(.transferError, "The transfer desk failed with the status \(received.response.status.code)") }
    throw Failure(code: code, text)
  }

  /// Connects, checks the server's host key, and then logs in, so that no secret is sent to another host.
  static func open(_ invocation: Invocation) async throws(Failure) -> TransferServerClient {
    let keys = try publicKeys(invocation.keyFiles, invocation.secrets)
    let server = try await TransferServerClient(host: invocation.host, port: invocation.sshPort)
    if let expected = invocation.fingerprint, expected != server.hostKey {
      throw Failure(.insecureConnection, "Remote host is not who we expected")
    }
    var login: JSONObject = ["user": .string(invocation.user), "public_keys": .array(keys.map { .string($0) })]
    login["password"] = invocation.secrets.password.map { .string($0.reveal()) }
    try await server.call("login", .object(login))
    return server
  }

  /// Returns the public keys of the keys that can be decrypted, those of the command line first.
  private static func publicKeys(_ files: [String], _ secrets: Secrets) throws(Failure) -> [String] {
    var texts: [SecretBytes] = []
    for file in files {
      guard FileManager.default.fileExists(atPath: file) else {
        throw Failure(.noSuchFile, "Private key file not found at path \(file)")
      }
      guard let data = FileManager.default.contents(atPath: file) else { continue }
      texts.append(SecretBytes(Array(data)))
    }
    if let key = secrets.key { texts.append(key.bytes) }
    return texts.compactMap { text in
      guard let key = try? PrivateKey(pem: text, passphrase: secrets.password?.bytes), let blob = key.publicKey.sshBlob
      else { return nil }
      return String(writing: { $0.append(base64: blob) })
    }
  }
}
