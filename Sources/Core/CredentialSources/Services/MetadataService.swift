// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// A client for an instance's metadata service that distinguishes an absent service from a failing service.
package struct MetadataService: Sendable {
  private static let roleNameByteLimit = 128
  private static let tokenByteLimit = 4_096

  package let source: String
  private let endpoint: String
  private let timeout: Duration
  private let presence: ServicePresence

  /// Creates a client whose timeout is the limit for each request and its response, if the context has none.
  package init(
    source: String, endpoint: String, timeout: Duration = .seconds(1), presence: ServicePresence = ServicePresence()
  ) {
    self.source = source
    self.endpoint = endpoint
    self.timeout = timeout
    self.presence = presence
  }

  package var reader: CredentialReader {
    CredentialReader(source: source, remedy: "Check that the address is that of the vendor's metadata service.")
  }

  /// Sends a GET request, whose response is successful or has the status 404.
  package func get(
    _ path: String, headers: HTTPFields = [:], in context: ProviderContext
  ) async throws(CredentialError) -> ServiceResponse {
    let response = try await send(.get, path, headers: headers, in: context)
    guard response.isSuccess || response.status == 404 else { throw refusal(response) }
    return response
  }

  /// Sends a request; a retryable error becomes `notConfigured` if the service has never responded to this client.
  package func send(
    _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields, in context: ProviderContext
  ) async throws(CredentialError) -> ServiceResponse {
    do throws(CredentialError) {
      return try await attempt(method, path, headers: headers, in: context)
    } catch { throw notConfiguredIfAbsent(error) }
  }

  /// Sends a request, whose retryable error does not become `notConfigured`.
  package func attempt(
    _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields, in context: ProviderContext
  ) async throws(CredentialError) -> ServiceResponse {
    guard let address = ServiceURL(endpoint) else {
      throw CredentialError(
        .failed, source: source, "The address of the metadata service is not a URL.",
        remedy: "Write it as a scheme and a host, or leave it out.")
    }
    let call = address.appending(path).call(method, headers: headers)
    let transport = ObservedTransport(transport: try context.transport(for: source), presence: presence)
    let exchange = ServiceExchange(
      source: source, transport: transport, time: context.time, timeout: context.timeout ?? timeout)
    return try await exchange.send { () async throws(CredentialError) in
      PreparedCall(call, masks: call.confidentialValues)
    }
  }

  /// Returns a retryable error as `notConfigured`, still retryable, if the metadata service has never responded.
  package func notConfiguredIfAbsent(_ error: CredentialError) -> CredentialError {
    guard error.isRetryable, !presence.hasResponded else { return error }
    return CredentialError(
      .notConfigured, source: source,
      "There is no metadata service at \(ServiceURL(endpoint)?.visible ?? ""): \(error.message)",
      remedy: "Run on an instance of the vendor's cloud, or name another source.", isRetryable: true)
  }

  /// Returns the first role of a list with one role per line, or `nil` for an empty list or the status 404.
  package func firstRole(in response: ServiceResponse) throws(CredentialError) -> String? {
    guard response.status != 404 else { return nil }
    let lines = String(decoding: response.body, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.lazy.map { String($0).trimmingASCIIWhitespace() }.first { !$0.isEmpty }
  }

  /// Returns a role name, validated and percent-encoded as a path segment.
  package func pathElement(ofRole name: String) throws(CredentialError) -> String {
    let name = name.trimmingASCIIWhitespace()
    let isAllowed = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-_@+=,".utf8.contains($0) }
    guard isAllowed, name != ".", name != "..", (1...Self.roleNameByteLimit).contains(name.utf8.count) else {
      throw reader.malformed("The name of the role is not valid.")
    }
    return name.percentEncoded()
  }

  /// Returns the fields of a metadata response, whose field `Code` must be `Success`.
  package func fields(of response: ServiceResponse) throws(CredentialError) -> JSONObject {
    let object = try reader.object(response)
    if let code = object["Code"]?.code, code != "Success" {
      throw CredentialError(
        .failed, source: source,
        "The metadata service has no key: \(response.messageFilter.applied(to: "\(code) \(object["Message"]?.string ?? "")"))",
        remedy: "Check that the role of the instance exists and trusts the vendor's compute service.", isRetryable: true
      )
    }
    guard object["Code"] != nil else { throw reader.malformed("The response has no field Code.") }
    return object
  }

  package var noRole: CredentialError {
    CredentialError(
      .notConfigured, source: source, "The instance has no role.",
      remedy: "Give the instance a role, or name another source.")
  }

  package func unknownRole(_ name: String) -> CredentialError {
    CredentialError(
      .failed, source: source, "The metadata service has no role \(MessageFilter().applied(to: name)).",
      remedy: "Name the role of the instance, or omit it to use the instance's own.")
  }

  package func refusal(_ response: ServiceResponse) -> CredentialError {
    CredentialError(
      .failed, source: source, "The metadata service responded with HTTP \(response.status).",
      remedy: "Check the settings of the instance's metadata service.", isRetryable: response.status >= 500)
  }
}

extension MetadataService {
  /// The path of the newer protocol's token in the clouds' metadata services.
  package static var tokenPath: String { "/latest/api/token" }

  /// Returns the token in a response, or `nil` if the service supports only the older protocol and that is allowed.
  ///
  /// - Parameter statuses: The statuses with which a service that issues no tokens responds.
  package func token(
    in response: ServiceResponse, unlessRefusedBy statuses: Set<Int>, allowsV1: Bool
  ) throws(CredentialError) -> String? {
    if response.isSuccess {
      let token = String(decoding: response.body, as: UTF8.self).trimmingASCIIWhitespace()
      guard !token.isEmpty, token.utf8.count <= Self.tokenByteLimit,
        token.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f })
      else { throw reader.malformed("The metadata service responded without a token.") }
      return token
    }
    guard statuses.contains(response.status) else { throw refusal(response) }
    guard allowsV1 else {
      throw CredentialError(
        .failed, source: source,
        "The metadata service issues no token (HTTP \(response.status)), and requests without one are not allowed.",
        remedy: "Switch the instance to the newer metadata service, or allow the older one.")
    }
    return nil
  }
}

/// A record of whether a service has ever responded.
package final class ServicePresence: Sendable {
  private let hasRespondedOnce = Lock(false)
  package init() {}

  var hasResponded: Bool { hasRespondedOnce.withLock { $0 } }
  func recordResponse() { hasRespondedOnce.withLock { $0 = true } }
}

/// A transport that records that the service has responded.
private struct ObservedTransport: HTTPTransport {
  let transport: any HTTPTransport
  let presence: ServicePresence

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    let response = try await transport.send(request, body: body)
    presence.recordResponse()
    return response
  }
}
