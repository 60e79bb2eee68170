// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import LocalCloud
public import StorageAuth

/// The Aspera node that an example uses: a LocalCloud node, unless the environment selects a real node.
///
/// A real node is used only with `STORAGE_AUTH_LIVE=1` and its URL in `ASPERA_NODE_URL`; `ASPERA_ROOT` specifies the
/// folder. LocalCloud requires `ascp-simulator` next to the running program, where the build of the examples puts it.
public struct ExampleNode: Sendable {
  /// The URL of the node's Node API.
  public let node: String

  /// The folder on the node that the example uses.
  public let root: String

  /// The access key of LocalCloud, or `nil` to use the default credentials.
  public let accessKey: (id: String, secret: Secret)?

  /// The path of the program that replaces ascp, or `nil` for ascp itself.
  public let ascp: String?

  /// The LocalCloud server, or `nil` for a real node.
  public let cloud: LocalCloud?

  /// The number of sessions that LocalCloud accepted after verifying account and token, or `nil` for a real node.
  public var verifiedSessions: Int? { cloud?.statistics.transfers.sessions }

  /// Opens an Aspera node for an example.
  ///
  /// - Parameters:
  ///   - localOnly: Whether to use LocalCloud regardless of the environment.
  ///   - accounts: The accounts that LocalCloud accepts, with the account for tokens first. If the array is empty,
  ///     LocalCloud accepts its default accounts.
  /// - Throws: An error if `ascp-simulator` is missing or LocalCloud cannot start.
  public static func open(
    localOnly: Bool = false, accounts: [LocalCloud.TransferAccount] = []
  ) async throws -> ExampleNode {
    let environment = ProcessInfo.processInfo.environment
    if !localOnly, environment["STORAGE_AUTH_LIVE"] == "1", let node = environment["ASPERA_NODE_URL"] {
      return ExampleNode(
        node: node, root: environment["ASPERA_ROOT"] ?? "/", accessKey: nil, ascp: nil, cloud: nil)
    }
    let simulator = try simulator()
    let key = AccessKey(id: "example-id", secret: "example-secret")
    let cloud = try await LocalCloud.start(
      .init(accounts: [.init(key)], aspera: .init(transferAccounts: accounts)))
    return ExampleNode(
      node: cloud.nodeURL, root: "/", accessKey: (key.id.string, key.secret), ascp: simulator, cloud: cloud)
  }

  /// Stops LocalCloud, if the example started it.
  public func close() async {
    await cloud?.stop()
  }

  /// Returns the path of `ascp-simulator`, which replaces ascp.
  ///
  /// - Throws: An error if the program was not built.
  public static func simulator() throws -> String {
    let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    let simulator = program.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "ascp-simulator")
    guard FileManager.default.isExecutableFile(atPath: simulator.path) else {
      throw MissingSimulator(
        description:
          "There is no \(simulator.path). Build it first: swift build --traits CommandLine --product ascp-simulator")
    }
    return simulator.path
  }
}

/// An error that reports that `ascp-simulator` is missing.
private struct MissingSimulator: Error, CustomStringConvertible {
  let description: String
}
