// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import Synchronization

/// A package of the simulated Faspex.
struct FaspexPackage: Sendable {
  let id: String
  let title: String
  let note: String
  let sender: LocalCloud.OAuthUser
  let recipients: [LocalCloud.OAuthUser]
  let created: Timestamp

  /// The state of the upload: `pre_initiation`, `submitted` or `completed`.
  var uploadStatus = "pre_initiation"

  /// The folder of the package's content on the node.
  var folder: NodePath { FaspexPackages.root.appending(NodePath(id) ?? .root) }
}

/// The packages of the simulated Faspex.
final class FaspexPackages: Sendable {
  /// The folder of all packages on the node.
  static let root = NodePath("/faspex-packages") ?? .root

  private static let capacity = 10_000

  private let packages = Mutex<[FaspexPackage]>([])

  /// Creates a package, or returns `nil` if there are too many packages.
  func create(
    title: String, note: String, from sender: LocalCloud.OAuthUser, to recipients: [LocalCloud.OAuthUser],
    at date: Timestamp
  ) -> FaspexPackage? {
    packages.withLock { packages in
      guard packages.count < Self.capacity else { return nil }
      let package = FaspexPackage(
        id: String(packages.count + 1), title: title, note: note, sender: sender, recipients: recipients, created: date)
      packages.append(package)
      return package
    }
  }

  /// All packages, the latest first.
  var all: [FaspexPackage] { packages.withLock { $0.reversed() } }

  /// Returns the package with an ID, or `nil` if there is none.
  func package(_ id: String) -> FaspexPackage? { packages.withLock { $0.first { $0.id == id } } }

  /// Sets the state of a package's upload.
  func setUploadStatus(_ status: String, of id: String) {
    packages.withLock { packages in
      guard let index = packages.firstIndex(where: { $0.id == id }) else { return }
      packages[index].uploadStatus = status
    }
  }

  /// Completes the package whose content a finished upload has sent, if there is such a package.
  func completed(_ claim: TransferClaim?) {
    guard let claim, claim.direction == .send, let location = claim.locations.first else { return }
    packages.withLock { packages in
      guard let index = packages.firstIndex(where: { $0.folder.names == location.names }) else { return }
      packages[index].uploadStatus = "completed"
    }
  }
}
