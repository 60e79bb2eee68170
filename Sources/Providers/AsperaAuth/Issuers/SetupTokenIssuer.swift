// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes

/// A token issuer that requests tokens from a node by setting up each transfer with `upload_setup` or `download_setup`.
///
/// A token is valid for the paths and the direction of the transfer. Its expiration is not in the response, but
/// assumed: the requested lifetime, or else a day, counted from the node's time.
///
/// ```swift
/// let issuer = SetupTokenIssuer(
///   node: "https://node.example.com:9092", access: StaticCredentialProvider(.basic(user: "mia", password: password)))
/// ```
public struct SetupTokenIssuer: TokenIssuer, Redacted {
  /// The maximum size of a response in bytes; a response contains every path of a transfer.
  private static let responseByteLimit = 16 << 20

  /// The issuer name that errors and events show.
  public let source: String

  private let node: String
  private let access: NodeAccessCache
  private let tokenLifetime: Duration?
  private let allowsPlainHTTP: Bool

  /// Creates a token issuer for a node.
  ///
  /// - Parameters:
  ///   - node: The base URL of the Node API with the scheme `https`, or `http` on this machine. A path in the URL,
  ///     which for example Shares requires, precedes the paths of the API operations.
  ///   - access: The provider of the credentials, which is used directly if it is a `CredentialCache`, or else cached.
  ///   - tokenLifetime: The lifetime in whole seconds, unless that in the specification is shorter. If `nil`, that in the
  ///     specification, or else the node's default. A policy whose rule expires writes at most a day into a specification
  ///     without a lifetime; for longer tokens, the specification itself must contain `token_life_seconds`.
  ///   - allowsPlainHTTP: Whether `http` to other machines is permitted, in which an attacker can read the secret.
  public init(
    node: String, access: some CredentialProvider<AsperaNodeAccess>, tokenLifetime: Duration? = nil,
    allowsPlainHTTP: Bool = false
  ) {
    source = ServiceURL(node).map { "node \($0.visible)" } ?? "node"
    self.node = node
    self.access = NodeAccessCache(access)
    self.tokenLifetime = tokenLifetime
    self.allowsPlainHTTP = allowsPlainHTTP
  }

  /// Requests a token from the node by setting up a transfer.
  ///
  /// If the node rejects the credential, the request is repeated once with a refreshed credential.
  ///
  /// - Parameters:
  ///   - request: The transfer, and the reason why a token is needed.
  ///   - context: The context whose transport sends the request.
  /// - Returns: The token, with the specification that the node returned.
  /// - Throws: A `CredentialError`: `rejected` if the node refuses the transfer, `malformedResponse` if the response is
  ///   malformed, and `failed` or `timeout` if the node cannot be reached.
  public func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let call = try unsignedSetupCall(for: request.specification)
    let lifetime = try requestedLifetime(for: request.specification)
    let now = context.time.now
    let validity = now.duration(to: signer.requiredValidity(from: now))
    let cache = access.cache(in: context)
    let cached = try await cache.credential(lasting: validity)
    var received = try await send(call, with: cached.credential, in: context)
    // Both statuses can mean that the credential is no longer valid.
    if [401, 403].contains(received.status) {
      let refreshed: CachedCredential<AsperaNodeAccess>
      do {
        refreshed = try await cache.credential(lasting: validity, replacing: cached.generation)
      } catch {
        if error.code == .cancelled { throw error }
        throw refusalError(NodeRefusal(inBody: received.body), received, declined: [error])
      }
      received = try await send(call, with: refreshed.credential, in: context)
    }
    return try issuedCredential(in: received, lifetime: lifetime, now: context.time.now)
  }

  /// A description that contains the issuer name.
  public var description: String { "SetupTokenIssuer(\(source))" }
}

extension TokenIssuer where Self == SetupTokenIssuer {
  /// Creates a token issuer that sets up each transfer at a node, with the parameters of ``SetupTokenIssuer``.
  public static func setup(
    node: String, access: some CredentialProvider<AsperaNodeAccess>, tokenLifetime: Duration? = nil
  ) -> SetupTokenIssuer { SetupTokenIssuer(node: node, access: access, tokenLifetime: tokenLifetime) }
}

extension SetupTokenIssuer {
  /// The token lifetimes that can be requested, in seconds: at most ten years, which is more than any server grants.
  private static let requestableSeconds: ClosedRange<Int64> = 1...315_360_000

  private var signer: AsperaNodeSigner { AsperaNodeSigner(allowsPlainHTTP: allowsPlainHTTP) }

  private func unsignedSetupCall(for specification: TransferSpec) throws(CredentialError) -> ServiceCall {
    let address = try RequestCheck(source: source).address(node, allowsPlainHTTP: allowsPlainHTTP)
    do {
      // This throws if the specification has no direction.
      let body = try NodeSetup.body(for: [specification], tokenLifetime: tokenLifetime)
      let path = NodeSetup.path(for: specification.direction ?? .send)
      return address.appending(path).call(.post, headers: [.contentType: "application/json"], body: body)
    } catch { throw CredentialError(.failed, source: source, error.message, remedy: error.remedy) }
  }

  private func requestedLifetime(for specification: TransferSpec) throws(CredentialError) -> Duration {
    guard let requested = NodeSetup.requestedLifetime(tokenLifetime, specification) else {
      return NodeSetup.assumedLifetime
    }
    return .seconds(try RequestCheck(source: source).wholeSeconds(of: requested, in: Self.requestableSeconds))
  }

  /// Signs and sends the call; errors show neither the credential nor the form of it that the header contains.
  private func send(
    _ call: ServiceCall, with access: AsperaNodeAccess, in context: ProviderContext
  ) async throws(CredentialError) -> ReceivedResponse {
    var signedCall = call
    do {
      try signer.sign(&signedCall.request, with: access, in: .at(context.time.now))
    } catch { throw CredentialError(.failed, source: source, error.message, remedy: error.remedy) }
    let encodedCredential = signedCall.request.headerFields[.authorization]?.split(separator: " ").last
    let masks = [access.secret] + (encodedCredential.map { [Secret(String($0))] } ?? [])
    let prepared = PreparedCall(signedCall, masks: masks)
    let exchange = try ServiceExchange(
      source: source, in: context, timeout: .seconds(30), responseLimit: Self.responseByteLimit)
    return try await exchange.receive { prepared }
  }

  private func issuedCredential(
    in received: ReceivedResponse, lifetime: Duration, now: Timestamp
  ) throws(CredentialError) -> IssuedCredential<TransferCredential> {
    guard received.response.status.kind == .successful else {
      throw refusalError(NodeRefusal(inBody: received.body), received)
    }
    let setupResult: Result<TransferSpec, NodeRefusal>?
    do {
      setupResult = try NodeSetup.results(of: received.body, count: 1).first
    } catch { throw malformedError(error.message, remedy: error.remedy, isRetryable: true) }
    switch setupResult {
    case .success(let specification)?:
      return try makeCredential(from: specification, received, lifetime: lifetime, now: now)
    case .failure(let refusal)?: throw refusalError(refusal, received)
    case nil: throw malformedError("The response has no element.", remedy: "Check the address of the Node API.")
    }
  }

  private func makeCredential(
    from specification: TransferSpec, _ received: ReceivedResponse, lifetime: Duration, now: Timestamp
  ) throws(CredentialError) -> IssuedCredential<TransferCredential> {
    guard let secret = specification.token, !secret.isEmpty else {
      throw malformedError("The response has no token.", remedy: "Let the node authorize by token, or use no issuer.")
    }
    let issuerNow = received.issuerTime ?? now
    do {
      let token = try AsperaToken(secret)
      // A basic token is valid as long as its access key.
      let expiration = token.kind == .basic ? nil : token.expiration ?? issuerNow.advanced(by: lifetime)
      let expiringToken = try AsperaToken(secret, expiration: expiration)
      let credential = TransferCredential(token: expiringToken, specification: specification)
      return IssuedCredential(credential, issuerTime: received.issuerTime, source: source)
    } catch { throw malformedError("The node's token cannot be used. \(error.message)", remedy: error.remedy) }
  }

  private func malformedError(_ message: String, remedy: String, isRetryable: Bool = false) -> CredentialError {
    CredentialError(.malformedResponse, source: source, message, remedy: remedy, isRetryable: isRetryable)
  }

  /// Returns the error for a refusal, which a node can also send in a response whose HTTP status is a success.
  private func refusalError(
    _ refusal: NodeRefusal?, _ received: ReceivedResponse, declined: [CredentialError] = []
  ) -> CredentialError {
    let isSuccessful = received.response.status.kind == .successful
    let status = (isSuccessful ? refusal?.status : nil) ?? received.status
    let isTemporary = status >= 500 || status == 429 || status == 408
    var details = isSuccessful ? [] : ["HTTP \(status)"]
    if let refusal { details.append(MessageFilter(masking: received.masks).applied(to: refusal.text)) }
    let remedy =
      switch status {
      case 401, 403: "Check the node user or the access key, and that it may transfer these paths."
      case 404: "Check the paths, and the address of the Node API."
      default: isTemporary ? "Try again later." : "See what the node says about this code."
      }
    return CredentialError(
      isTemporary ? .failed : .rejected, source: source,
      "The node refused to set the transfer up: \(details.joined(separator: ", ")).", remedy: remedy,
      isRetryable: isTemporary, declined: declined)
  }
}
