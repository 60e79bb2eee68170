public import AsperaAuth
public import AsperaTransfer
public import StorageAuth

/// How a client of a node moves files: with which account, by which program, how fast.
///
/// ```swift
/// let client = StorageClient(
///   .aspera(node: "https://node.example.com:9092", transfers: AsperaTransfers(login: .dynamicKey, targetRate: 100_000)))
/// ```
public struct AsperaTransfers: Sendable {
  /// What transfers log in with; a server looks at this before it looks at a token.
  public enum Login: Sendable {
    /// The user that the node names, with the key that IBM's products put on this machine, or the one at a path.
    ///
    /// - keyPath: The file of the key; the places where IBM's products put it are searched, if not given.
    /// - passphrase: The passphrase; that of `ASPERA_SCP_PASS`, if not given and if the key is encrypted.
    case tokenAccount(keyPath: String? = nil, passphrase: Secret? = nil)
    /// The user that the node names, with a key pair that is made here and told to the node with each request for a
    /// transfer. Servers since 4.4 take it; no key of IBM's is needed.
    case dynamicKey
    /// An account of one's own. A password goes to the host and the user of the account only.
    case account(AsperaAccount)
  }

  /// What transfers log in with.
  public var login: Login

  /// The path of ascp; it is looked for if not given.
  public var ascp: String?

  /// What carries out transfers, in place of ascp.
  public var engine: (any TransferEngine)?

  /// The rate to reach, in kilobits a second; the server may set a lower one.
  public var targetRate: Int?

  /// The rate to keep, in kilobits a second.
  public var minimumRate: Int?

  /// How a transfer shares the line with others.
  public var ratePolicy: RatePolicy?

  /// How long tokens are to live, in whole seconds; the node decides if not given.
  public var tokenLifetime: Duration?

  /// How many transfers are active at a time, and what is tried again how often.
  public var queue: TransferQueueConfiguration

  /// Says how files are moved.
  public init(
    login: Login = .tokenAccount(), ascp: String? = nil, engine: (any TransferEngine)? = nil, targetRate: Int? = nil,
    minimumRate: Int? = nil, ratePolicy: RatePolicy? = nil, tokenLifetime: Duration? = nil,
    queue: TransferQueueConfiguration = TransferQueueConfiguration(maximumActive: 4)
  ) {
    self.login = login
    self.ascp = ascp
    self.engine = engine
    self.targetRate = targetRate
    self.minimumRate = minimumRate
    self.ratePolicy = ratePolicy
    self.tokenLifetime = tokenLifetime
    self.queue = queue
  }
}

extension AsperaTransfers {
  /// What is on the wire of a transfer besides its paths.
  func put(into spec: inout TransferSpec) {
    spec.targetRate = targetRate
    spec.minimumRate = minimumRate
    spec.ratePolicy = ratePolicy
  }
}
