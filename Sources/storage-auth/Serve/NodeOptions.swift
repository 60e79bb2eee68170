internal import ArgumentParser
internal import LocalCloud
internal import StorageAuth

/// What the Aspera node of a server that is started from the command line knows.
struct NodeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The port of the Node API; 0 picks one.", valueName: "port"))
  var nodePort = 0

  @Option(help: ArgumentHelp("The port that ascp-simulator transfers files with; 0 picks one.", valueName: "port"))
  var transferPort = 0

  @Option(
    help: ArgumentHelp(
      "A user of the Node API; repeatable. The accounts are access keys of it anyway.", valueName: "name:password"))
  var nodeUser: [AccountArgument] = []

  @Option(
    help: ArgumentHelp(
      "An account that transfers log in with; repeatable. Without one there is xfer, with the secret of the first account.",
      valueName: "user:password"))
  var transferAccount: [AccountArgument] = []

  @Flag(help: "The accounts named with --transfer-account need no token.")
  var withoutTransferTokens = false

  @Option(help: ArgumentHelp("How long every transfer token lives.", valueName: "seconds"))
  var transferTokenLifetime: Int?

  func validate() throws {
    try AccountArgument.check(nodeUser, of: "--node-user")
    try AccountArgument.check(transferAccount, of: "--transfer-account")
    if withoutTransferTokens, transferAccount.isEmpty {
      throw ValidationError("--without-transfer-tokens needs a --transfer-account; xfer always wants tokens.")
    }
    if let transferTokenLifetime, transferTokenLifetime < 0 {
      throw ValidationError("--transfer-token-lifetime cannot be negative.")
    }
  }

  var aspera: LocalCloud.Aspera {
    LocalCloud.Aspera(
      port: nodePort, transferPort: transferPort,
      users: nodeUser.map { LocalCloud.NodeUser($0.id, password: Secret($0.secret)) },
      transferAccounts: transferAccount.map {
        LocalCloud.TransferAccount($0.id, password: Secret($0.secret), requiresToken: !withoutTransferTokens)
      },
      tokenLifetime: transferTokenLifetime.map { .seconds($0) })
  }
}
