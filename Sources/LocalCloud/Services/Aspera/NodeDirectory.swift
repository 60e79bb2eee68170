internal import StorageAuth
internal import StorageCrypto
internal import Synchronization

/// Who is known to the node: its users, access keys and transfer accounts.
final class NodeDirectory: Sendable {
  private struct State {
    var accessKeys: [LocalCloud.NodeAccessKey]
    /// The public keys that were added, by the user that they log in.
    var publicKeys: [[UInt8]: [String]]
  }

  private let users: [LocalCloud.NodeUser]
  private let accounts: [LocalCloud.TransferAccount]
  private let state: Mutex<State>

  init(_ configuration: LocalCloud.Configuration) {
    let aspera = configuration.aspera
    let own = configuration.accounts.filter { account in
      !account.isDisabled && account.key.sessionToken == nil
        && !aspera.accessKeys.contains { account.key.id == AccessKeyID($0.id) }
    }
    users = aspera.users
    accounts =
      aspera.transferAccounts.isEmpty
      ? [LocalCloud.TransferAccount("xfer", password: configuration.accounts.first?.key.secret)]
      : aspera.transferAccounts
    state = Mutex(
      State(
        accessKeys: own.map { LocalCloud.NodeAccessKey(id: $0.key.id.string, secret: $0.key.secret) }
          + aspera.accessKeys,
        publicKeys: Dictionary(accounts.map { (Array($0.user.utf8), $0.publicKeys) }) { first, _ in first }))
  }

  /// The user that setup answers name.
  var transferUser: String { accounts.first?.user ?? "xfer" }

  /// The account of a user.
  func transferAccount(_ user: String) -> LocalCloud.TransferAccount? {
    accounts.first { $0.user.utf8.elementsEqual(user.utf8) }
  }

  /// Whether a name and a password are those of a user.
  func isUser(_ name: String, _ password: Secret) -> Bool {
    users.contains { $0.name.utf8.elementsEqual(name.utf8) && $0.password == password }
  }

  /// All access keys, in the order in which they were named.
  var accessKeys: [LocalCloud.NodeAccessKey] { state.withLock { $0.accessKeys } }

  /// The access key of an id.
  func accessKey(_ id: String) -> LocalCloud.NodeAccessKey? {
    state.withLock { $0.accessKeys.first { $0.id.utf8.elementsEqual(id.utf8) } }
  }

  /// Sets the key that the bearer tokens of an access key are verified with; nothing takes it away.
  func setTokenVerificationKey(_ pem: String?, of id: String) {
    state.withLock { state in
      guard let index = state.accessKeys.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return }
      state.accessKeys[index].tokenVerificationKey = pem
    }
  }

  /// Lets in a public key.
  ///
  /// - Returns: Whether the line is one of `authorized_keys` and the user is known.
  func add(publicKey line: String, of user: String) -> Bool {
    guard Self.blob(of: line) != nil, transferAccount(user) != nil else { return false }
    let user = Array(user.utf8)
    state.withLock { state in
      guard state.publicKeys[user]?.contains(line) != true else { return }
      state.publicKeys[user, default: []].append(line)
    }
    return true
  }

  /// Whether somebody who shows these logs in as a user.
  ///
  /// - Parameters:
  ///   - user: The name.
  ///   - password: What was given as a password.
  ///   - publicKeys: The public keys that were offered, as SSH sends them, in Base64.
  func admits(_ user: String, password: Secret?, publicKeys: [String]) -> Bool {
    guard let account = transferAccount(user) else { return false }
    if let password, account.password == password { return true }
    let known = state.withLock { $0.publicKeys[Array(user.utf8)] ?? [] }.compactMap { Self.blob(of: $0) }
    return publicKeys.contains { known.contains($0) }
  }

  /// The second field of a line of `authorized_keys`: the key as SSH sends it, in Base64.
  private static func blob(of line: String) -> String? {
    let fields = line.words(between: " ")
    guard fields.count >= 2, !fields[0].isEmpty, [UInt8](base64: String(fields[1])) != nil else { return nil }
    return String(fields[1])
  }
}
