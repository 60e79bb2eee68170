// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageCrypto

/// The data that the simulated Node API, transfer server and applications of one local server share.
struct AsperaContext: Sendable {
  let cloud: CloudContext
  let directory: NodeDirectory
  let files: FileTree
  let tokens = TransferTokenTable()
  let packages = FaspexPackages()
  let activity = ActivityLog()
  /// The fingerprint of the transfer server's host key, which is random for each local server.
  let hostKey: HostKeyFingerprint
  let infoAcceptsBearer: Bool
  /// The lifetime of every transfer token regardless of the request, or `nil` to use the requested lifetime.
  let fixedTokenLifetime: Duration?

  init(_ configuration: LocalCloud.Configuration, _ store: BucketTable, _ cloud: CloudContext) {
    self.cloud = cloud
    directory = NodeDirectory(configuration)
    files = FileTree(store: store)
    hostKey = HostKeyFingerprint(ofKey: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    fixedTokenLifetime = configuration.aspera.tokenLifetime
    infoAcceptsBearer = configuration.aspera.infoAcceptsBearer
  }

  /// Creates the root folders and the initial permissions of the configured access keys.
  func prepareAccessKeys(at date: Timestamp) async throws {
    for key in directory.accessKeys {
      do {
        try await prepare(key, at: date)
      } catch let error as ErrorResponse {
        throw LocalCloudError("The permissions of the access key \"\(key.id)\" are wrong: \(error.message)")
      } catch let problem as FileProblem {
        throw LocalCloudError("A path of the access key \"\(key.id)\" is wrong: \(problem.message); change it.")
      }
    }
  }

  func prepare(_ key: LocalCloud.NodeAccessKey, at date: Timestamp) async throws {
    guard let root = NodePath(key.path) else { throw FileProblem(.tooLong) }
    try await files.makeFolder(root, at: date)
    _ = files.register.registerRoot(root)
    for permission in key.permissions {
      guard let path = NodePath(permission.path).map({ root.appending($0) }) else { throw FileProblem(.tooLong) }
      if try files.entry(at: path) == nil { try await files.makeFolder(path, at: date) }
      let isForGroup = if case .group = permission.grantee { true } else { false }
      let grant = FilePermission.Grant(
        fileID: files.register.id(of: path), isForGroup: isForGroup, accessID: permission.grantee.id,
        levels: permission.levels)
      _ = try files.register.addPermission(grant, of: key.id, by: NodeCaller.administratorID, at: date)
    }
  }

  func count(_ change: (inout LocalCloud.TransferStatistics) -> Void) { cloud.counters.countTransfers(change) }
}

/// The users, access keys and transfer accounts of the simulated Aspera node.
final class NodeDirectory: Sendable {
  private struct Keys {
    var accessKeys: [LocalCloud.NodeAccessKey]
    var publicKeys: [ByteExactString: [String]]
  }

  private static let accessKeyLimit = 1_000
  private let users: [LocalCloud.NodeUser]
  private let accounts: [LocalCloud.TransferAccount]
  private let keys: Lock<Keys>

  init(_ configuration: LocalCloud.Configuration) {
    let aspera = configuration.aspera
    let ownAccounts = configuration.accounts.filter { account in
      !account.isDisabled && account.number == nil && account.key.sessionToken == nil
        && !aspera.accessKeys.contains { account.key.id == AccessKeyID($0.id) }
    }
    users = aspera.users
    let password = configuration.accounts.first { $0.number == nil && !$0.isDisabled }?.key.secret
    let defaultAccount = LocalCloud.TransferAccount("xfer", password: password)
    accounts = aspera.transferAccounts.isEmpty ? [defaultAccount] : aspera.transferAccounts
    let ownKeys = ownAccounts.map { LocalCloud.NodeAccessKey(id: $0.key.id.string, secret: $0.key.secret) }
    let publicKeys = Dictionary(accounts.map { (ByteExactString($0.user), $0.publicKeys) }) { first, _ in first }
    keys = Lock(Keys(accessKeys: ownKeys + aspera.accessKeys, publicKeys: publicKeys))
  }

  var transferUser: String { accounts.first?.user ?? "xfer" }

  func transferAccount(_ user: String) -> LocalCloud.TransferAccount? {
    accounts.first { $0.user.isIdentical(to: user) }
  }

  func isUser(_ name: String, _ password: Secret) -> Bool {
    users.contains { $0.name.isIdentical(to: name) && $0.password == password }
  }

  var accessKeys: [LocalCloud.NodeAccessKey] { keys.withLock { $0.accessKeys } }
  func accessKey(_ id: String) -> LocalCloud.NodeAccessKey? { accessKeys.first { $0.id.isIdentical(to: id) } }

  func add(_ key: LocalCloud.NodeAccessKey) throws(ErrorResponse) {
    try keys.withLock { keys throws(ErrorResponse) in
      if keys.accessKeys.contains(where: { $0.id.isIdentical(to: key.id) }) {
        throw .node(.conflict, "The access key exists already.")
      }
      let limit = Self.accessKeyLimit
      try require(keys.accessKeys.count < limit, "There are \(limit) access keys, which is the limit; delete some.")
      keys.accessKeys.append(key)
    }
  }

  func removeAccessKey(_ id: String) { keys.withLock { $0.accessKeys.removeAll { $0.id.isIdentical(to: id) } } }

  func setTokenVerificationKey(_ pem: String?, of id: String) {
    keys.withLock { keys in
      guard let index = keys.accessKeys.firstIndex(where: { $0.id.isIdentical(to: id) }) else { return }
      keys.accessKeys[index].tokenVerificationKey = pem
    }
  }

  /// Adds public keys that a user can log in with, or adds none and returns `false` if a line or the user is not valid.
  func add(publicKeys lines: [String], of user: String) -> Bool {
    guard lines.allSatisfy({ Self.keyBlob(in: $0) != nil }), transferAccount(user) != nil else { return false }
    let user = ByteExactString(user)
    keys.withLock { keys in
      for line in lines where keys.publicKeys[user]?.contains(line) != true {
        keys.publicKeys[user, default: []].append(line)
      }
    }
    return true
  }

  /// Returns whether a user can log in with a password, or a public key in SSH's wire format in Base64.
  func admits(_ user: String, password: Secret?, publicKeys: [String]) -> Bool {
    guard let account = transferAccount(user) else { return false }
    if let password, account.password == password { return true }
    let known = keys.withLock { $0.publicKeys[ByteExactString(user)] ?? [] }.compactMap { Self.keyBlob(in: $0) }
    return publicKeys.contains { known.contains($0) }
  }

  /// Returns the key in a line of `authorized_keys`, in SSH's wire format in Base64, or `nil` if it is malformed.
  private static func keyBlob(in line: String) -> String? {
    let fields = line.words(between: " ")
    guard fields.count >= 2, !fields[0].isEmpty, [UInt8](base64: String(fields[1])) != nil else { return nil }
    return String(fields[1])
  }
}
