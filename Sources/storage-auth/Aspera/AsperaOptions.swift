internal import ArgumentParser
internal import AsperaAuth
internal import AsperaTransfer
internal import CloudCredentials
internal import Foundation
internal import StorageAuth
internal import StorageClient

/// How `aspera://` on the command line is reached.
struct AsperaOptions: ParsableArguments {
  private static let nodeVariable = "ASPERA_NODE_URL"
  private static let defaultNodePort = 9092

  @Option(help: "The URL of the Node API; ASPERA_NODE_URL, or https to the host of the location, if not given.")
  var node: String?

  @Option(help: "The path of ascp; it is looked for if not given.")
  var ascp: String?

  @Option(help: "The rate to reach, in kilobits a second.")
  var rate: Int?

  @Flag(help: "Log in for transfers with a key that is made here and told to the node, in place of IBM's.")
  var dynamicKey = false

  @OptionGroup var account: AccountOptions

  func validate() throws {
    if dynamicKey, account.key != nil { throw ValidationError("Give --key or --dynamic-key, not both.") }
  }

  /// A client of a node.
  func store(_ server: ServerAddress) throws -> StorageClient<AsperaProvider> {
    let machine = MachineAccess.commandLine { Terminal.note("warning: \($0)") }
    let named = node ?? machine.environment(Self.nodeVariable)
    return StorageClient(
      .aspera(
        node: named ?? "https://\(server.authority(defaultPort: Self.defaultNodePort))",
        transfers: AsperaTransfers(
          login: dynamicKey ? .dynamicKey : .tokenAccount(keyPath: account.key), ascp: ascp, targetRate: rate)),
      credentials: CredentialCache(.asperaDefault(machine)))
  }

  /// Transfers with an account alone.
  func transfers(_ server: ServerAddress) async throws -> AccountTransfers {
    let machine = MachineAccess.commandLine { Terminal.note("warning: \($0)") }
    let account = try account.account(at: server, on: machine)
    for note in try await account.check(on: machine).notes { Terminal.note("note: \(note)") }
    return AccountTransfers(
      account, token: try self.account.token(on: machine), engine: try AscpEngine(program: ascp))
  }
}
