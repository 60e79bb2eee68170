// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

#if STORAGE_AUTH_NIO
  internal import StoragePrograms
#endif

/// The settings for file transfers to and from an Aspera node: login, program and rates.
///
/// ```swift
/// let client = StorageClient(
///   .aspera(node: node, transfers: AsperaTransferOptions(login: .dynamicKey, targetRate: 100_000)))
/// ```
public struct AsperaTransferOptions: Sendable {
  /// The account and key that transfers log in with.
  ///
  /// A server checks the login before it checks the transfer token.
  public enum Login: Sendable {
    /// The transfer user that the node specifies, with IBM's private key on this machine or another private key.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the private key file. If `nil`, IBM's key is searched for where IBM's products are.
    ///   - passphrase: The passphrase of an encrypted private key. If `nil`, the value of `ASPERA_SCP_PASS`.
    case tokenAccount(keyPath: String? = nil, passphrase: Secret? = nil)
    /// The transfer user that the node specifies, with a key pair that the client generates.
    ///
    /// The node receives the public key with each transfer request, so no key from IBM's products is needed. Aspera
    /// servers support this login since version 4.4.
    case dynamicKey
    /// A separate account on the transfer server.
    ///
    /// A password is sent only to the host and the user that the account specifies.
    case account(AsperaAccount)
    /// No login: each transfer is a WebSocket over TLS on one port of the server, and the transfer token authorizes it.
    ///
    /// The port is often 443, so that transfers work where firewalls permit only HTTPS. Data are not sent over UDP. The
    /// server's certificate is checked instead of its host key.
    ///
    /// - Parameters:
    ///   - port: The server's TCP port for WebSockets. If `nil`, the port that the node specifies, or 443.
    ///   - certificatesPath: The path of the certificates that validate the server. If `nil`, ascp's own.
    case webSocket(port: Int? = nil, certificatesPath: String? = nil)
  }

  /// The account and key that transfers log in with.
  public var login: Login

  /// The address of the transfer server, as far as it is not the one in the node's response.
  ///
  /// With ``Login/account(_:)``, the account determines the server, and every value here is an error. With
  /// ``Login/webSocket(port:certificatesPath:)``, only the host can be specified.
  public var server: TransferServer

  /// The path of the ascp program, or `nil` to search for ascp.
  public var ascp: String?
  /// The engine that carries out transfers, or `nil` to use ascp.
  public var engine: (any TransferEngine)?
  /// The target rate of a transfer, in kilobits per second; the server may set a lower rate.
  public var targetRate: Int?
  /// The minimum rate of a transfer, in kilobits per second.
  public var minimumRate: Int?
  /// The policy by which a transfer shares the bandwidth with other traffic.
  public var ratePolicy: RatePolicy?
  /// The requested lifetime of transfer tokens, in whole seconds, or `nil` to let the node decide.
  public var tokenLifetime: Duration?
  /// The configuration of the transfer queue: the number of concurrent transfers, and the retries.
  public var queue: TransferQueueConfiguration

  /// Creates settings for file transfers; the parameters are the properties.
  public init(
    login: Login = .tokenAccount(), server: TransferServer = TransferServer(), ascp: String? = nil,
    engine: (any TransferEngine)? = nil, targetRate: Int? = nil, minimumRate: Int? = nil, ratePolicy: RatePolicy? = nil,
    tokenLifetime: Duration? = nil, queue: TransferQueueConfiguration = TransferQueueConfiguration(maximumActive: 4)
  ) {
    self.login = login
    self.server = server
    self.ascp = ascp
    self.engine = engine
    self.targetRate = targetRate
    self.minimumRate = minimumRate
    self.ratePolicy = ratePolicy
    self.tokenLifetime = tokenLifetime
    self.queue = queue
  }

  /// Returns a transfer with these rates and this login, on the server that the caller specified.
  func makeSession(_ spec: TransferSpec, account: AsperaAccount?, issuer: some TokenIssuer) -> TransferSession {
    var specification = spec
    if case .webSocket(let port, _) = login {
      specification.offersWebSocket = true
      specification.webSocketPort = port
    }
    specification.targetRate = targetRate
    specification.minimumRate = minimumRate
    specification.ratePolicy = ratePolicy
    return TransferSession(specification, account: account, issuer: ServerNamingIssuer(base: issuer, server: server))
  }

  /// Checks that no option of the server is set that has no effect with the login.
  func requireNoExcludedServerOption() throws(StorageError) {
    let setOptions = [
      ("host", server.host != nil), ("sshPort", server.sshPort != nil), ("udpPort", server.udpPort != nil),
      ("hostKey", server.hostKey != nil),
    ].filter(\.1).map(\.0)
    let loginName: String
    let excludedOptions: [String]
    switch login {
    case .tokenAccount, .dynamicKey: return
    case .account: (loginName, excludedOptions) = ("The account of the login", setOptions)
    // A WebSocket connects to the host, but neither with SSH nor with UDP.
    case .webSocket: (loginName, excludedOptions) = ("A WebSocket", setOptions.filter { $0 != "host" })
    }
    guard !excludedOptions.isEmpty else { return }
    throw StorageError(
      .invalidOption, "\(loginName) excludes \(excludedOptions.joined(separator: " and ")) of the transfer server.",
      remedy: "Leave the option out, or choose another login.")
  }

  /// Returns the account that logs in to a host, or `nil` for a WebSocket; `generateKey` throws if no key can be used.
  func account(on host: String, generateKey: () throws -> DynamicKey) throws -> AsperaAccount? {
    let sshPort = server.sshPort ?? AsperaAccount.defaultPort
    let udpPort = server.udpPort ?? AsperaAccount.defaultPort
    var account: AsperaAccount
    switch login {
    case .account(let account): return account
    case .webSocket: return nil
    case .tokenAccount(let keyPath, let passphrase):
      account = try .defaultTokenAccount(
        host: host, keyPath: keyPath, passphrase: passphrase, sshPort: sshPort, udpPort: udpPort,
        hostKey: server.hostKey, on: .system)
    case .dynamicKey:
      account = try AsperaAccount(
        host: host, user: AsperaAccount.defaultTokenUser, privateKey: generateKey().privateKey, sshPort: sshPort,
        udpPort: udpPort, hostKey: server.hostKey, requiresToken: true)
    }
    account.isHostAssumed = server.host == nil
    return account
  }

  /// Returns the caller's engine, or the one that runs ascp, which must be installed.
  func makeEngine(_ time: any SigningClock) throws(AsperaError) -> any TransferEngine {
    if let engine { return engine }
    #if STORAGE_AUTH_NIO
      var options = AscpOptions()
      if case .webSocket(_, let path) = login { options.certificatesPath = path }
      return try AscpEngine(program: ascp, options: options, time: time)
    #else
      throw AsperaError(
        .unsupported, "This build of the client cannot run ascp, because it starts no programs.",
        remedy: "Name another engine in AsperaTransferOptions, or use Linux or macOS with the package trait Client.")
    #endif
  }
}

extension AsperaAccount {
  static func host(of authority: String) -> String {
    guard let address = authority.removingBytePrefix("[") else { return String(authority.bytes(before: ":")) }
    return String(address.bytes(before: "]"))
  }
}

/// The address of the server that carries out an Aspera node's transfers, as far as the caller specifies it.
///
/// A node that is called with Basic authorization specifies the server in its responses. With a bearer token, the
/// server is the host of the node's URL, with the default ports. The caller's values replace both, and are sent to the
/// node when a transfer is set up. The server must still have the host key whose fingerprint the node specifies.
public struct TransferServer: Sendable, Equatable {
  /// The name or the IP address of the server, or `nil` to use the host that the node specifies.
  public var host: String?
  /// The TCP port for SSH, or `nil` to use the port that the node specifies, or else 33001.
  public var sshPort: Int?
  /// The UDP port for data, or `nil` to use the port that the node specifies, or else 33001.
  public var udpPort: Int?
  /// The fingerprint that the server's host key must have, or `nil` to use the fingerprint that the node specifies.
  public var hostKey: HostKeyFingerprint?

  /// Creates the address of a transfer server; the parameters are the properties.
  public init(host: String? = nil, sshPort: Int? = nil, udpPort: Int? = nil, hostKey: HostKeyFingerprint? = nil) {
    self.host = host
    self.sshPort = sshPort
    self.udpPort = udpPort
    self.hostKey = hostKey
  }
}

/// A token issuer that adds the caller's server to credentials, because a node need not return requested values.
struct ServerNamingIssuer<Base: TokenIssuer>: TokenIssuer {
  let base: Base
  let server: TransferServer
  var source: String { base.source }

  func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let issued = try await base.issue(for: request, in: context)
    guard var specification = issued.credential.specification else { return issued }
    if let host = server.host { specification.remoteHost = host }
    if let port = server.sshPort { specification.sshPort = port }
    if let port = server.udpPort { specification.udpPort = port }
    let credential = TransferCredential(
      token: issued.credential.token, specification: specification, expiration: issued.credential.expiration)
    return IssuedCredential(credential, issuerTime: issued.issuerTime, source: issued.source)
  }
}
