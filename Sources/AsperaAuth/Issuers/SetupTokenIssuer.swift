internal import CloudCredentials
internal import HTTPTypes
public import StorageAuth

/// Gets tokens from a node, by setting each transfer up with `upload_setup` and `download_setup`.
///
/// The token is for the paths of the transfer and its direction. The answer does not say when it ends: it is taken to
/// live for as long as was asked for, or for a day, counted from the node's own time.
///
/// ```swift
/// let issuer = SetupTokenIssuer(
///   node: "https://node.example.com:9092", access: StaticCredentialProvider(.basic(user: "mia", password: password)),
///   transport: transport)
/// ```
public struct SetupTokenIssuer: TokenIssuer {
  /// The most bytes of an answer: it names every path of a transfer.
  static let answerLimit = 16 << 20

  /// The name of the service.
  public let source: String

  let node: String
  let access: CredentialCache<AsperaNodeAccess>
  let exchange: ServiceExchange
  let tokenLifetime: Duration?
  let allowsPlainHTTP: Bool
  let time: any SigningClock

  /// Names a node.
  ///
  /// - Parameters:
  ///   - node: The address of the Node API; `https`, or `http` on this machine. A path comes before those of the calls,
  ///     as Shares has one.
  ///   - access: What the calls are authorized with. A cache is used as it is; any other source gets one.
  ///   - tokenLifetime: How long a token is to live, in whole seconds; the node decides if it is not given.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed: whoever listens on the way has the secret then.
  ///   - timeout: The most time for one answer.
  ///   - transport: Sends the calls.
  ///   - time: The clocks.
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

  /// Sets a transfer up.
  ///
  /// A node that refuses what it is asked with is asked once more with renewed access.
  ///
  /// - Returns: The token, with the specification that the node answered.
  /// - Throws: A `CredentialError`: `rejected` if the node refuses, `malformedAnswer` if it answers with something else,
  ///   `failed` and `timeout` if it cannot be reached.
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
  /// The name of the service.
  public var description: String { "SetupTokenIssuer(\(source))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}

extension TokenIssuer where Self == SetupTokenIssuer {
  /// Tokens from a node, by setting each transfer up; see ``SetupTokenIssuer``.
  ///
  /// - Parameters:
  ///   - node: The address of the Node API.
  ///   - access: What the calls are authorized with.
  ///   - tokenLifetime: How long a token is to live, in whole seconds.
  ///   - transport: Sends the calls.
  public static func setup(
    node: String, access: some CredentialProvider<AsperaNodeAccess>, tokenLifetime: Duration? = nil,
    transport: any HTTPTransport
  ) -> SetupTokenIssuer {
    SetupTokenIssuer(node: node, access: access, tokenLifetime: tokenLifetime, transport: transport)
  }
}
