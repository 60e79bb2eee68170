// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import HTTPTypes
public import StorageAuth

/// A token issuer that requests tokens from a node by setting up each transfer with `upload_setup` or `download_setup`.
///
/// A token is valid for the paths and the direction of the transfer. The response does not contain the token's
/// expiration. The issuer assumes the requested lifetime, or a day if no lifetime is requested, counted from the node's
/// time.
///
/// ```swift
/// let issuer = SetupTokenIssuer(
///   node: "https://node.example.com:9092", access: StaticCredentialProvider(.basic(user: "mia", password: password)),
///   transport: transport)
/// ```
public struct SetupTokenIssuer: TokenIssuer {
  /// The maximum size of a response, in bytes.
  ///
  /// The limit is large because a response contains every path of a transfer.
  static let answerLimit = 16 << 20

  /// The issuer name that errors and events show.
  public let source: String

  let node: String
  let access: CredentialCache<AsperaNodeAccess>
  let exchange: ServiceExchange
  let tokenLifetime: Duration?
  let allowsPlainHTTP: Bool
  let time: any SigningClock

  /// Creates a token issuer for a node.
  ///
  /// - Parameters:
  ///   - node: The base URL of the Node API with the scheme `https`, or `http` on this machine. A path in the URL,
  ///     which for example Shares requires, precedes the paths of the API operations.
  ///   - access: The provider of the credentials for the requests. A `CredentialCache` is used directly, and any other
  ///     provider is wrapped in a new cache.
  ///   - tokenLifetime: The requested token lifetime, in whole seconds. If `nil`, the lifetime in the specification, or
  ///     else the node's default.
  ///   - allowsPlainHTTP: Whether `http` to other machines is permitted, with which an attacker who can read the
  ///     traffic obtains the secret.
  ///   - timeout: The maximum time to wait for a response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clock from which expiration is calculated.
  public init(
    node: String, access: some CredentialProvider<AsperaNodeAccess>, tokenLifetime: Duration? = nil,
    allowsPlainHTTP: Bool = false, timeout: Duration = .seconds(30), transport: any HTTPTransport,
    time: any SigningClock = .system
  ) {
    source = ServiceURL(node).map { "node \($0.visible)" } ?? "node"
    self.node = node
    self.access = access as? CredentialCache<AsperaNodeAccess> ?? CredentialCache(access, time: time)
    exchange = ServiceExchange(
      source: source, transport: transport, time: time, timeout: timeout, answerLimit: Self.answerLimit)
    self.tokenLifetime = tokenLifetime
    self.allowsPlainHTTP = allowsPlainHTTP
    self.time = time
  }

  /// Requests a token from the node by setting up a transfer.
  ///
  /// If the node rejects the credential, the request is repeated once with a refreshed credential.
  ///
  /// - Parameter request: The transfer, and the reason why a token is needed.
  /// - Returns: The token, with the specification that the node returned.
  /// - Throws: A `CredentialError`: `rejected` if the node refuses the transfer, `malformedAnswer` if the response is
  ///   malformed, and `failed` or `timeout` if the node cannot be reached.
  public func issue(for request: TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferGrant> {
    let call = try call(for: request.specification)
    let life = try life(of: request.specification)
    let lasting = time.now.duration(to: signer.requiredValidity(from: time.now))
    let first = try await access.credential(lasting: lasting)
    let answer = try await send(call, with: first.credential)
    guard Self.isRefusal(answer.status) else { return try grant(in: answer, life: life) }
    let second: CachedCredential<AsperaNodeAccess>
    do {
      second = try await access.credential(lasting: lasting, replacing: first.generation)
    } catch {
      if error.code == .cancelled { throw error }
      throw refusal(answer, because: [error])
    }
    return try grant(in: try await send(call, with: second.credential), life: life)
  }
}

extension SetupTokenIssuer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description that contains the issuer name.
  public var description: String { "SetupTokenIssuer(\(source))" }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror that contains only the issuer name.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}

extension TokenIssuer where Self == SetupTokenIssuer {
  /// Creates a token issuer that sets up each transfer at a node; see ``SetupTokenIssuer``.
  ///
  /// - Parameters:
  ///   - node: The base URL of the Node API.
  ///   - access: The provider of the credentials for the requests.
  ///   - tokenLifetime: The requested token lifetime, in whole seconds. If `nil`, the lifetime in the specification, or
  ///     else the node's default.
  ///   - transport: The transport that sends the requests.
  public static func setup(
    node: String, access: some CredentialProvider<AsperaNodeAccess>, tokenLifetime: Duration? = nil,
    transport: any HTTPTransport
  ) -> SetupTokenIssuer {
    SetupTokenIssuer(node: node, access: access, tokenLifetime: tokenLifetime, transport: transport)
  }
}
