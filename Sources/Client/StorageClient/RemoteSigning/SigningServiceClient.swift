// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A client of a server that implements the protocol of `SigningService`: it requests signatures and the identity.
struct SigningServiceClient: Sendable {
  let url: String
  let source: String
  private let exchange: ServiceExchange
  private let time: any SigningClock
  private let headers: @Sendable @concurrent () async throws -> HTTPFields

  init(
    _ url: String, timeout: Duration, transport: any HTTPTransport, time: any SigningClock,
    headers: @escaping @Sendable @concurrent () async throws -> HTTPFields
  ) {
    self.url = url
    self.headers = headers
    self.time = time
    source = "signing server" + (ServiceURL(url).map { " \($0.visible)" } ?? "")
    exchange = ServiceExchange(source: source, transport: transport, time: time, timeout: timeout)
  }

  /// Requests a signature; the server responds with its parts, or with the whole value of an `Authorization` header.
  func sign(_ request: SigningRequest) async throws -> SigningResponse {
    var body = JSONObject()
    body["provider"] = .string(request.scheme.service)
    body["version"] = .string(request.scheme.version)
    body["method"] = .string(request.method)
    body["stringToSign"] = .string(request.stringToSign)
    body["canonicalRequest"] = request.canonicalRequest.map { .string($0) }
    let bytes = JSONValue.object(body).serialized
    let received = try await receive { address, headers in
      var headers = headers
      headers[.contentType] = "application/json"
      return address.call(.post, headers: headers, body: bytes)
    }
    let document = try object(in: received)
    if let text = document["authorization"]?.string, let signature = SigningResponse(authorization: text) {
      return signature
    }
    guard let id = document["accessKeyId"]?.string, !id.isEmpty, let signature = document["signature"]?.string else {
      throw malformed("neither an authorization nor an accessKeyId with a signature")
    }
    let token = document["securityToken"]?.string.map { Secret($0) }
    return SigningResponse(accessKeyID: AccessKeyID(id), signature: signature, sessionToken: token)
  }

  /// Returns a source of the identity of the server's key for a provider.
  func identity(of provider: String) -> some CredentialProvider<AccessKey> {
    SigningServiceIdentity(server: self, provider: provider)
  }

  /// Sends a call with the app's login headers, and returns the response of any status.
  func receive(
    _ call: @escaping @Sendable (ServiceURL, HTTPFields) -> ServiceCall
  ) async throws(CredentialError) -> ReceivedResponse {
    try await exchange.receive { () async throws(CredentialError) in
      let address = try RequestCheck(source: source).address(url)
      var fields: HTTPFields
      do { fields = try await headers() } catch {
        throw error as? CredentialError
          ?? CredentialError(
            .failed, source: source, "The headers could not be created: the app's closure threw \(type(of: error)).",
            remedy: "See the underlying error of the closure that creates the headers.", underlying: error)
      }
      ActiveSpan.inject(into: &fields)
      return PreparedCall(call(address, fields))
    }
  }

  /// Returns the JSON object in a response, or throws the server's error.
  func object(in received: ReceivedResponse) throws -> JSONObject {
    let object = (try? JSONValue(parsing: received.body))?.object
    guard received.response.status.kind == .successful else { throw rejection(received, object) }
    guard let object else { throw malformed("no JSON object") }
    return object
  }

  /// Returns the error that an unsuccessful response describes, which can be a refusal that the client reacts to.
  private func rejection(_ received: ReceivedResponse, _ object: JSONObject?) -> any Error {
    let code = object?["code"]?.string ?? ""
    if code == "\(SigningRefusal.Code.anotherKey)" {
      return SigningRefusal.anotherKey("The signing server has a different key.")
    }
    let isRetryable = received.status >= 500 || received.status == 429
    let explanation = isPrintable(code: code) ? " (\(code)): \(printable(object?["message"]?.string ?? ""))" : "."
    let message = "The \(source) responded with HTTP \(received.status)\(explanation)"
    if isRetryable {
      return CredentialError(.failed, source: source, message, remedy: "Try again later.", isRetryable: true)
    }
    let error = SigningError(
      .refused, message, remedy: "Check the server's permissions for this client, and that the app's login was sent.")
    guard Self.codesAboutTime.contains(code), let serverTime = received.issuerTime else { return error }
    return ClockSkewRefusal(error: error, serverTime: serverTime, localTime: time.now)
  }

  private static let codesAboutTime = Set([SigningRefusal.Code.clockSkew, .lifetime].map(\.description))

  /// Returns whether a code from the server is short and plain enough for an error, such as a code of `SigningRefusal`.
  private func isPrintable(code: String) -> Bool {
    !code.isEmpty && code.utf8.count <= 40 && code.utf8.allSatisfy(\.isASCIILetter)
  }

  /// Returns the server's message, or a replacement if the message is long or could contain the string to sign.
  private func printable(_ message: String) -> String {
    let isPlain = message.utf8.count <= 400 && !message.contains { $0.isNewline || $0 == "=" }
    return isPlain ? message : "(its message is too long or not plain text)"
  }

  func malformed(_ fault: String) -> CredentialError {
    CredentialError(
      .malformedResponse, source: source, "The response contains \(fault).",
      remedy: "Check the URL, and that the server implements the protocol of SigningService.")
  }
}

/// A provider of the ID and the session token of a signing server's key, without the secret.
private struct SigningServiceIdentity: CredentialProvider {
  let server: SigningServiceClient
  let provider: String

  var source: String { server.source }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let received = try await server.receive { [provider] address, headers in
      address.appending("/identity?provider=\(provider)").call(.get, headers: headers)
    }
    let document: JSONObject
    do { document = try server.object(in: received) } catch let error as CredentialError {
      throw error
    } catch let error as SigningError {
      throw CredentialError(.rejected, source: source, error.message, remedy: error.remedy)
    } catch { throw server.malformed("no identity") }
    guard let id = document["accessKeyId"]?.string, !id.isEmpty else { throw server.malformed("no accessKeyId") }
    let expirationText = document["expiration"]?.string
    let expiration = expirationText.flatMap { Timestamp(iso8601: $0) }
    guard expirationText == nil || expiration != nil else { throw server.malformed("an invalid expiration") }
    let token = document["securityToken"]?.string.map { Secret($0) }
    return IssuedCredential(
      AccessKey(of: Identity(id: id, sessionToken: token, expiration: expiration)), issuerTime: received.issuerTime)
  }
}

/// The error for a signing request that a signing server rejected because of its date, with the times of both clocks.
struct ClockSkewRefusal: Error {
  /// The error to throw if the clocks of the signing server and this machine agree.
  let error: SigningError
  let serverTime: Timestamp
  /// The uncorrected time according to this machine's clock when the server's response arrived.
  let localTime: Timestamp
}
