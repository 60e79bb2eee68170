// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ExampleSupport
import Foundation
import LocalCloud
import StorageClient
import SystemPackage

/// The organization, the users and the files that the example uses.
struct Place {
  /// The home folder of the user.
  let home: AsperaOnCloudProvider

  /// Clients of two users of Faspex 5, or `nil` for a real organization.
  let faspex: (sender: FaspexClient, recipient: FaspexClient)?

  /// The e-mail address of the user who receives the package.
  let recipient = "noa@example.com"

  private let cloud: LocalCloud?
  private let folder: URL

  init(localOnly: Bool) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "aspera-on-cloud-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if !localOnly, Self.setting("STORAGE_AUTH_LIVE") == "1", let workspace = Self.setting("ASPERA_WORKSPACE") {
      home = .aspera(onCloud: try Self.realClient(), workspace: workspace)
      (cloud, faspex) = (nil, nil)
      return
    }
    try Data("a picture of a cat".utf8).write(to: folder.appending(path: "cat.jpg"), options: .atomic)
    let organization = try await LocalOrganization(recipient: recipient)
    cloud = organization.cloud
    home = .aspera(onCloud: organization.client, workspace: "Film", transfers: try organization.transfers)
    faspex = (
      try organization.faspex(LocalOrganization.sender), try organization.faspex(recipient)
    )
  }

  /// The file that the package contains.
  var picture: FilePath { FilePath(folder.appending(path: "cat.jpg").path) }

  /// The folder that receives packages.
  var inbox: FilePath { FilePath(folder.appending(path: "inbox").path) }

  /// The names of the files that were received.
  var received: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: inbox.string) }
  }

  func close() async {
    try? FileManager.default.removeItem(at: folder)
    await cloud?.stop()
  }

  private static func realClient() throws -> AsperaOnCloudClient {
    let key = try JWTSigningKey(.file(setting("ASPERA_JWT_KEY") ?? ""), on: .system)
    return AsperaOnCloudClient(
      organization: setting("ASPERA_ORGANIZATION") ?? "", user: setting("ASPERA_USER") ?? "",
      clientID: setting("ASPERA_CLIENT_ID") ?? "", clientSecret: setting("ASPERA_CLIENT_SECRET").map { Secret($0) },
      key: key)
  }

  private static func setting(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
