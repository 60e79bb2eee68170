// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaAuth

/// The options for the login to an Aspera server; secrets are in the environment or a file, never in an option.
struct AccountOptions: ParsableArguments {
  @Option(
    help: .text(
      "The file of the private key; its passphrase comes from ASPERA_SCP_PASS or --password-file.", value: "file"))
  var key: String?

  @Option(help: .text("A file with the password, or the passphrase of the key, in its first line.", value: "file"))
  var passwordFile: String?

  @Option(
    help: .text("The SHA-1 of the server's host key, in hex; a server with another key is rejected.", value: "sha-1"))
  var sshfp: String?

  @Option(help: .text("The UDP port for the data; 33001 by default.", value: "port")) var udpPort: Int?

  func account(at server: ServerAddress, in context: ProviderContext) throws -> AsperaAccount {
    guard let user = server.user else { throw ValidationError("Name the user, as user@host.") }
    let secret = try secret(in: context)
    return try AsperaAccount(
      host: server.host, user: user, password: key == nil ? secret : nil,
      privateKey: key.map { .file($0, passphrase: secret) }, sshPort: server.port ?? AsperaAccount.defaultPort,
      udpPort: udpPort ?? AsperaAccount.defaultPort,
      hostKey: try sshfp.map { text throws(AsperaError) in try HostKeyFingerprint(text) })
  }

  func token(in context: ProviderContext) throws -> AsperaToken? {
    try secret("ASPERA_SCP_TOKEN", in: context).map { try AsperaToken($0) }
  }

  private func secret(_ variable: String, in context: ProviderContext) -> Secret? {
    context.environment(variable).flatMap { $0.isEmpty ? nil : Secret($0) }
  }

  func secret(in context: ProviderContext) throws -> Secret? {
    guard let passwordFile else { return secret(AsperaAccount.passphraseVariable, in: context) }
    guard let line = try SecretFile(passwordFile).text.split(whereSeparator: \.isNewline).first else {
      throw InputFile.exitCode(afterPrinting: "\(passwordFile) is empty. Put the password on its first line.")
    }
    return Secret(String(line))
  }

  /// Adds the login, the token and the password of encrypted files to a specification that lacks them.
  ///
  /// The specification overrides the environment, and an option that contradicts the specification is an error.
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

  /// Returns the account for a specification without a login; with only a token, it uses the key that IBM installs.
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

  private func checkLoginAndPrintNotes(of specification: TransferSpec, in context: ProviderContext) async throws {
    let key: AsperaPrivateKey.Source? =
      specification.sshPrivateKey.map { .pem($0) } ?? specification.sshPrivateKeyPath.map { .file($0) }
    let account = try AsperaAccount(
      host: specification.remoteHost ?? "", user: specification.remoteUser ?? AsperaAccount.defaultTokenUser,
      password: specification.remotePassword,
      privateKey: key.map { AsperaPrivateKey($0, passphrase: specification.sshPrivateKeyPassphrase) },
      hostKey: try specification.sshfp.flatMap { $0.isEmpty ? nil : try HostKeyFingerprint($0) })
    for note in try await account.check(on: context).notes { Terminal.printNote("note: \(note)") }
  }

  private func refuse(unless isConsistent: Bool, _ option: String, _ field: String) throws {
    guard !isConsistent else { return }
    throw ValidationError("Leave out \(option): the specification has \(field).")
  }
}
