// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import LocalCloud
internal import StorageAuth

/// The options for the address of OSS, COS and S3, which other machines can reach.
struct ListenOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The IP address at which OSS, COS and S3 listen. If other machines reach it, the accounts must be given, and "
        + "--tls-cert or --plain-http. Token services, metadata and Aspera stay on this machine.", valueName: "address")
  )
  var listen = "127.0.0.1"

  @Flag(help: "Let other machines reach OSS, COS and S3 without encryption, in a network that you trust.")
  var plainHttp = false

  @Option(
    help: .text(
      "A domain of OSS, COS and S3, such as oss.test, with buckets in the path or before it; repeatable.",
      value: "domain"))
  var domain: [String] = []

  @Option(
    help: .text(
      "The PEM file with the certificate of OSS, COS and S3, which then speak HTTPS, and those that issued it.",
      value: "file"))
  var tlsCert: String?

  @Option(help: .text("The PEM file with the private key of --tls-cert, without a passphrase.", value: "file"))
  var tlsKey: String?
  var isLocal: Bool { LoopbackHost.contains(listen) }

  func validate() throws {
    guard (tlsCert == nil) == (tlsKey == nil) else {
      throw ValidationError("Name both the certificate and its private key, with --tls-cert and --tls-key.")
    }
    if !isLocal, tlsCert == nil, !plainHttp {
      throw ValidationError(
        "Other machines reach \(listen.onOneLine): give --tls-cert and --tls-key, or --plain-http in a network that "
          + "you trust.")
    }
  }

  func apply(to configuration: inout LocalCloud.Configuration) throws {
    configuration.address = listen
    configuration.allowsPlainHTTP = plainHttp
    configuration.domains = domain
    if let tlsCert, let tlsKey {
      let files = try CertificateFiles(certificatePath: tlsCert, keyPath: tlsKey, renewal: "start the server again")
      configuration.certificate = files.certificate
    }
  }
}

/// The options for the token services, the app server and the metadata services of a local cloud.
struct ServiceOptions: ParsableArguments {
  @Option(help: .text("The port of the token services, the app server and the metadata; 0 for any.", value: "port"))
  var servicesPort = 0

  @Option(help: .text("A role that can be assumed; repeatable. One for each cloud by default.", value: "arn"))
  var role: [String] = []

  @Option(help: .text("The lifetime of every issued token; removes the minimum of 900 seconds.", value: "seconds"))
  var tokenLifetime: Int?

  @Option(help: .text("The bearer token that callers of the app server must send.", value: "token"))
  var appToken: String?

  @Option(help: .text("An identity token (OIDC) to exchange for keys; repeatable.", value: "token"))
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

/// The options for the Aspera node of a local cloud and its transfers.
struct NodeOptions: ParsableArguments {
  @Option(help: .text("The port of the Node API; 0 for any free port.", value: "port")) var nodePort = 0

  @Option(help: .text("The port for transfers with ascp-simulator; 0 for any free port.", value: "port"))
  var transferPort = 0

  @Option(
    help: .text(
      "A user of the Node API; repeatable. All values of --account are access keys too.", value: "name:password"))
  var nodeUser: [LoginArgument] = []

  @Option(
    help: .text(
      "An account for the login of transfers; repeatable. The default is xfer with the secret of the first account.",
      value: "user:password"))
  var transferAccount: [LoginArgument] = []

  @Flag(help: "The accounts of --transfer-account require no token.") var withoutTransferTokens = false

  @Option(help: .text("The lifetime of every transfer token in seconds.", value: "seconds"))
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
