// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import LocalCloud
internal import StorageAuth

/// The options for the token services, the app server and the metadata services of a local cloud.
struct ServiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The port of the token services, the app server and the metadata; 0 for any.", valueName: "port"))
  var servicesPort = 0

  @Option(
    help: ArgumentHelp("A role that can be assumed; repeatable. One for each cloud by default.", valueName: "arn"))
  var role: [String] = []

  @Option(
    help: ArgumentHelp("The lifetime of every issued token; removes the minimum of 900 seconds.", valueName: "seconds"))
  var tokenLifetime: Int?

  @Option(help: ArgumentHelp("The bearer token that callers of the app server must send.", valueName: "token"))
  var appToken: String?

  @Option(help: ArgumentHelp("An identity token (OIDC) to exchange for keys; repeatable.", valueName: "token"))
  var identityToken: [String] = []

  @Flag(help: "Require a token of the metadata services that support tokens (IMDSv2 only).")
  var requireMetadataToken = false

  func services(with secrets: SecretArguments) throws -> LocalCloud.Services {
    let appTokens = (appToken.map { [$0] } ?? []) + secrets[.appToken]
    guard appTokens.count <= 1 else { throw ValidationError("There is more than one token for the app server.") }
    return LocalCloud.Services(
      port: servicesPort, roles: role.isEmpty ? [.alibaba, .tencent, .amazon] : role.map { LocalCloud.Role($0) },
      tokenLifetime: tokenLifetime.map { .seconds($0) }, appToken: appTokens.first.map { Secret($0) },
      identityTokens: (identityToken + secrets[.identityToken]).map { Secret($0) },
      requiresMetadataToken: requireMetadataToken)
  }
}

struct NodeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The port of the Node API; 0 for any free port.", valueName: "port")) var nodePort = 0

  @Option(help: ArgumentHelp("The port for transfers with ascp-simulator; 0 for any free port.", valueName: "port"))
  var transferPort = 0

  @Option(
    help: ArgumentHelp(
      "A user of the Node API; repeatable. All values of --account are access keys too.", valueName: "name:password"))
  var nodeUser: [LoginArgument] = []

  @Option(
    help: ArgumentHelp(
      "An account for the login of transfers; repeatable. The default is xfer with the secret of the first account.",
      valueName: "user:password"))
  var transferAccount: [LoginArgument] = []

  @Flag(help: "The accounts of --transfer-account require no token.") var withoutTransferTokens = false

  @Option(help: ArgumentHelp("The lifetime of every transfer token in seconds.", valueName: "seconds"))
  var transferTokenLifetime: Int?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Accept bearer tokens for /info and /files/download_setup of the Node API too, which aspera-cli sends.")
  var nodeInfoAcceptsBearer = true

  func validate() throws {
    try nodeUser.requireComplete(of: "--node-user")
    try transferAccount.requireComplete(of: "--transfer-account")
    if let transferTokenLifetime, transferTokenLifetime < 0 {
      throw ValidationError("--transfer-token-lifetime must not be negative.")
    }
  }

  func aspera(with secrets: SecretArguments) throws -> LocalCloud.Aspera {
    let users = try nodeUser + secrets.values(.nodeUser)
    let accounts = try transferAccount + secrets.values(.transferAccount)
    if withoutTransferTokens, accounts.isEmpty {
      throw ValidationError("--without-transfer-tokens needs a --transfer-account; xfer always requires tokens.")
    }
    return LocalCloud.Aspera(
      port: nodePort, transferPort: transferPort,
      users: users.map { LocalCloud.NodeUser($0.name, password: $0.password) },
      transferAccounts: accounts.map {
        LocalCloud.TransferAccount($0.name, password: $0.password, requiresToken: !withoutTransferTokens)
      },
      tokenLifetime: transferTokenLifetime.map { .seconds($0) }, infoAcceptsBearer: nodeInfoAcceptsBearer)
  }
}
