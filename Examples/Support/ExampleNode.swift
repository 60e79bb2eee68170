internal import Foundation
public import LocalCloud
public import StorageAuth

/// The Aspera node that an example works with: one of LocalCloud, unless a real one is asked for.
///
/// A real node is used only with `STORAGE_AUTH_LIVE=1` and its URL in `ASPERA_NODE_URL`; `ASPERA_ROOT` names the folder.
/// LocalCloud needs `ascp-simulator`, which has to be built, next to the program that runs.
public struct ExampleNode: Sendable {
  /// The URL of the Node API.
  public let node: String

  /// The folder that is worked in.
  public let root: String

  /// The access key; nothing for the access in the environment.
  public let accessKey: (id: String, secret: Secret)?

  /// The program that stands in for ascp; nothing for ascp itself.
  public let ascp: String?

  /// LocalCloud, if that is what this is.
  public let cloud: LocalCloud?

  /// How many sessions LocalCloud has let begin, account and token verified; nothing for a real node.
  public var verifiedSessions: Int? { cloud?.statistics.transfers.sessions }

  /// A node.
  ///
  /// - Parameters:
  ///   - localOnly: Whether to take LocalCloud, whatever the environment says.
  ///   - accounts: The accounts that LocalCloud lets in, the one for tokens first; its own if there are none.
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

  /// Stops LocalCloud, if that is what this is.
  public func close() async {
    await cloud?.stop()
  }

  private static func simulator() throws -> String {
    let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    let simulator = program.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "ascp-simulator")
    guard FileManager.default.isExecutableFile(atPath: simulator.path) else {
      throw MissingSimulator(
        description: "There is no \(simulator.path). Build it first: swift build --product ascp-simulator")
    }
    return simulator.path
  }
}

/// Why there is no node.
private struct MissingSimulator: Error, CustomStringConvertible {
  let description: String
}
