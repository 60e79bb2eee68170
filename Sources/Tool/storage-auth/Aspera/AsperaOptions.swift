// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaAuth
internal import AsperaClient
internal import Foundation
internal import StoragePrograms

/// The options for transfers of files to and from Aspera servers.
struct AsperaOptions: ParsableArguments {
  /// The permitted values of `--start-spacing` in seconds.
  static let startSpacings = 0...3600

  @Option(
    help: ArgumentHelp(
      "The path of ascp; by default STORAGE_AUTH_ASCP, or else ascp in the PATH or in the folders of IBM's products.",
      valueName: "path"))
  var ascp: String?

  @Option(help: ArgumentHelp("The target rate in kilobits per second.", valueName: "kbit/s"))
  var rate: Int?

  @Flag(help: "Log in for transfers with a generated key that is registered with the node, instead of IBM's key.")
  var dynamicKey = false

  @Option(
    help: ArgumentHelp(
      "The tags of transfers with only an account, as a JSON object or as @ and the path of a file; a bearer token in "
        + "ASPERA_SCP_TOKEN requires aspera.node.access_key and aspera.node.file_id in them.", valueName: "json"))
  var tags: TagsArgument?

  @Option(
    help: ArgumentHelp(
      "The transfer server and its SSH port, for locations with a node; by default those that the node specifies.",
      valueName: "host[:port]"))
  var transferServer: ServerAddress?

  @Option(
    help: ArgumentHelp(
      "The time between the starts of two transfers in seconds, for a server that limits simultaneous logins; none by "
        + "default.", valueName: "seconds"))
  var startSpacing: Int?

  @OptionGroup var account: AccountOptions

  func validate() throws {
    try Self.startSpacings.require(startSpacing, of: "--start-spacing", " seconds")
    if dynamicKey, account.key != nil { throw ValidationError("Pass --key or --dynamic-key, not both.") }
    if transferServer?.user != nil { throw ValidationError("Name the --transfer-server without a user.") }
  }

  /// Returns the options for transfers through a node.
  func transferOptions(atATime count: Int) throws -> AsperaTransferOptions {
    let context = try ProviderContext.commandLine()
    let passphrase = try account.passwordFile == nil ? nil : account.secret(in: context)
    let server = TransferServer(
      host: transferServer?.host, sshPort: transferServer?.port, udpPort: account.udpPort,
      hostKey: try account.sshfp.map { text throws(AsperaError) in try HostKeyFingerprint(text) })
    return AsperaTransferOptions(
      login: dynamicKey ? .dynamicKey : .tokenAccount(keyPath: account.key, passphrase: passphrase), server: server,
      ascp: ascp, targetRate: rate, queue: queueConfiguration(atATime: count))
  }

  private func queueConfiguration(atATime count: Int) -> TransferQueueConfiguration {
    TransferQueueConfiguration(maximumActive: count, startSpacing: .seconds(startSpacing ?? 0))
  }

  /// Returns a client for transfers that use only an account on an Aspera server, without the Node API.
  func accountTransfers(on server: ServerAddress, atATime count: Int) async throws -> AccountTransfers {
    let context = try ProviderContext.commandLine()
    let account = try account.account(at: server, in: context)
    for note in try await account.check(on: context).notes { Terminal.note("note: \(note)") }
    let transfers = AccountTransfers(
      account, token: try self.account.token(in: context), tags: tags?.object,
      queue: queueConfiguration(atATime: count), engine: try AscpEngine(program: ascp))
    EventLog.noteRetries(transfers.events)
    return transfers
  }
}

/// An argument that contains the tags of a transfer: a JSON object, or `@` and the path of a file with one.
struct TagsArgument: ExpressibleByArgument {
  let object: JSONObject

  init?(argument: String) {
    let bytes =
      argument.hasPrefix("@")
      ? FileManager.default.contents(atPath: String(argument.dropFirst())).map { Array($0) } : Array(argument.utf8)
    guard let bytes, let object = (try? JSONValue(parsing: bytes))?.object else { return nil }
    self.object = object
  }
}

/// The command-line options for logging in to an account on an Aspera server.
///
/// Secrets are read from the environment or a file, never from an option.
struct AccountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of the private key; its passphrase comes from ASPERA_SCP_PASS or --password-file.", valueName: "file"))
  var key: String?

  @Option(
    help: ArgumentHelp("A file with the password, or the passphrase of the key, in its first line.", valueName: "file"))
  var passwordFile: String?

  @Option(
    help: ArgumentHelp(
      "The SHA-1 of the server's host key, in hex; a server with another key is rejected.", valueName: "sha-1"))
  var sshfp: String?

  @Option(help: ArgumentHelp("The UDP port for the data; 33001 by default.", valueName: "port"))
  var udpPort: Int?

  /// Returns the account of a user on a server, with the key or the password of the options.
  func account(at server: ServerAddress, in context: ProviderContext) throws -> AsperaAccount {
    guard let user = server.user else { throw ValidationError("Name the user, as user@host.") }
    let secret = try secret(in: context)
    return try AsperaAccount(
      host: server.host, user: user, password: key == nil ? secret : nil,
      privateKey: key.map { .file($0, passphrase: secret) }, sshPort: server.port ?? AsperaAccount.defaultPort,
      udpPort: udpPort ?? AsperaAccount.defaultPort,
      hostKey: try sshfp.map { text throws(AsperaError) in try HostKeyFingerprint(text) })
  }

  /// Returns the token in the environment, or `nil` if there is none.
  func token(in context: ProviderContext) throws -> AsperaToken? {
    try secret("ASPERA_SCP_TOKEN", in: context).map { try AsperaToken($0) }
  }

  /// Returns the secret in a variable of the environment, or `nil` if it is not set.
  private func secret(_ variable: String, in context: ProviderContext) -> Secret? {
    context.environment(variable).flatMap { $0.isEmpty ? nil : Secret($0) }
  }

  /// Returns the password or the passphrase from the file or the environment, or `nil` if there is none.
  func secret(in context: ProviderContext) throws -> Secret? {
    guard let passwordFile else { return secret(AsperaAccount.passphraseVariable, in: context) }
    guard let line = try SecretFile(passwordFile).text.split(whereSeparator: \.isNewline).first else {
      throw InputFile.unusable("\(passwordFile) is empty. Put the password on its first line.")
    }
    return Secret(String(line))
  }

  /// Adds the login, the token and the password of encrypted files to a specification that lacks them.
  ///
  /// A value in the specification counts more than the environment. An option for a value that the specification
  /// contains is rejected.
  func complete(_ specification: inout TransferSpec, in context: ProviderContext) async throws {
    specification.token = try specification.token ?? token(in: context)?.secret
    if specification.contentProtection != nil, specification.contentProtectionPassword == nil {
      specification.contentProtectionPassword = secret("ASPERA_SCP_FILEPASS", in: context)
    }
    if let udpPort {
      try refuse(unless: specification.udpPort == nil, "--udp-port", "fasp_port")
      specification.udpPort = udpPort
    }
    if let sshfp {
      try refuse(unless: specification.sshfp?.isEmpty ?? true, "--sshfp", "sshfp")
      specification.sshfp = try HostKeyFingerprint(sshfp).description
    }
    try await addLogin(to: &specification, in: context)
  }

  private func addLogin(to specification: inout TransferSpec, in context: ProviderContext) async throws {
    let hasKey = specification.sshPrivateKey != nil || specification.sshPrivateKeyPath != nil
    if hasKey || specification.remotePassword != nil {
      try refuse(unless: key == nil, "--key", hasKey ? "a private key" : "remote_password")
      try refuse(unless: passwordFile == nil || hasKey, "--password-file", "remote_password")
      if hasKey, specification.sshPrivateKeyPassphrase == nil {
        specification.sshPrivateKeyPassphrase = try secret(in: context)
      }
      try await checkLoginAndPrintNotes(of: specification, in: context)
      return
    }
    if specification.offersWebSocket == true {
      try refuse(
        unless: key == nil && passwordFile == nil, "--key or --password-file", "wss_enabled, which needs no login")
      return
    }
    switch try account(for: specification, in: context).authentication {
    case .password(let password): specification.remotePassword = password
    case .privateKey(let key):
      if case .file(let path) = key.source { specification.sshPrivateKeyPath = path }
      if case .pem(let text) = key.source { specification.sshPrivateKey = text }
      specification.sshPrivateKeyPassphrase = key.passphrase
    }
    try await checkLoginAndPrintNotes(of: specification, in: context)
  }

  /// Returns the account for a specification without a login: without options, a token uses the key that IBM installs.
  private func account(for specification: TransferSpec, in context: ProviderContext) throws -> AsperaAccount {
    let secret = try secret(in: context)
    let host = specification.remoteHost ?? ""
    let user = specification.remoteUser ?? AsperaAccount.defaultTokenUser
    if key == nil, specification.token != nil, passwordFile == nil {
      return try .defaultTokenAccount(host: host, user: user, on: context)
    }
    return try AsperaAccount(
      host: host, user: user, password: key == nil ? secret : nil,
      privateKey: key.map { .file($0, passphrase: secret) })
  }

  /// Checks the password or the private key in a specification, wherever it comes from, and prints the notes.
  private func checkLoginAndPrintNotes(of specification: TransferSpec, in context: ProviderContext) async throws {
    let key: AsperaPrivateKey.Source? =
      specification.sshPrivateKey.map { .pem($0) } ?? specification.sshPrivateKeyPath.map { .file($0) }
    let account = try AsperaAccount(
      host: specification.remoteHost ?? "", user: specification.remoteUser ?? AsperaAccount.defaultTokenUser,
      password: specification.remotePassword,
      privateKey: key.map { AsperaPrivateKey($0, passphrase: specification.sshPrivateKeyPassphrase) },
      hostKey: try specification.sshfp.flatMap { $0.isEmpty ? nil : try HostKeyFingerprint($0) })
    for note in try await account.check(on: context).notes { Terminal.note("note: \(note)") }
  }

  /// Throws an error for an option that contradicts a field of the specification.
  private func refuse(unless isConsistent: Bool, _ option: String, _ field: String) throws {
    guard !isConsistent else { return }
    throw ValidationError("Leave out \(option): the specification has \(field).")
  }
}
