// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The state that the simulated Node API, transfer server and applications of one local server share.
struct AsperaContext: Sendable {
  let cloud: CloudContext
  let directory: NodeDirectory
  let files: FileTree
  let tokens = TransferTokenTable()
  let packages = FaspexPackages()
  let activity = ActivityLog()

  /// The fingerprint of the transfer server's host key, which is random for each local server.
  let hostKey: HostKeyFingerprint

  /// Whether the calls `/info` and `/files/download_setup` accept bearer tokens as well.
  let infoAcceptsBearer: Bool

  /// The lifetime of every transfer token regardless of the request, or `nil` to use the requested lifetime.
  let tokenLifetime: Duration?

  init(_ configuration: LocalCloud.Configuration, _ store: BucketTable, _ cloud: CloudContext) {
    self.cloud = cloud
    directory = NodeDirectory(configuration)
    files = FileTree(store: store)
    hostKey = HostKeyFingerprint(ofKey: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    tokenLifetime = configuration.aspera.tokenLifetime
    infoAcceptsBearer = configuration.aspera.infoAcceptsBearer
  }

  /// Creates the root folders and the initial permissions of the configured access keys.
  func prepare(at date: Timestamp) async throws {
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

  /// Creates the root folder and the initial permissions of an access key.
  func prepare(_ key: LocalCloud.NodeAccessKey, at date: Timestamp) async throws {
    guard let root = NodePath(key.path) else { throw FileProblem.tooLong }
    try await files.makeFolder(root, at: date)
    _ = files.register.rootID(of: root)
    for permission in key.permissions {
      guard let path = NodePath(permission.path).map({ root.appending($0) }) else { throw FileProblem.tooLong }
      if try files.entry(at: path) == nil { try await files.makeFolder(path, at: date) }
      let isForGroup = if case .group = permission.grantee { true } else { false }
      let grant = FileRegister.Grant(
        fileID: files.register.id(of: path), isForGroup: isForGroup, accessID: permission.grantee.id,
        levels: AccessLevels(permission.levels))
      _ = try files.register.add(grant, of: key.id, by: NodeCaller.administratorID, at: date)
    }
  }

  /// Updates the statistics of Aspera transfers.
  func count(_ change: (inout LocalCloud.TransferStatistics) -> Void) {
    cloud.counters.countTransfers(change)
  }
}
