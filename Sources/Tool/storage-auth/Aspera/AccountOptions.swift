// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaAuth
internal import CloudCredentials
internal import Foundation
internal import StorageAuth
internal import StorageClient

/// The command-line options for logging in to an account on an Aspera server.
///
/// Secrets are read from the environment or a file, never from an option.
struct AccountOptions: ParsableArguments {
  /// The environment variable that contains the password or the private key's passphrase, which ascp reads too.
  private static let passwordVariable = AsperaAccount.passphraseVariable

  /// The environment variable that contains the transfer token.
  private static let tokenVariable = "ASPERA_SCP_TOKEN"

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

  /// Returns the account that the options describe.
  ///
  /// - Parameters:
  ///   - server: The server's address, including the user.
  ///   - machine: The context whose environment and files are read.
  /// - Throws: An `AsperaError` if the account is invalid, or a `ValidationError` if the address contains no user.
  func account(at server: ServerAddress, on machine: ProviderContext) throws -> AsperaAccount {
    guard let user = server.user else { throw ValidationError("Name the user, as user@host.") }
    let secret = try secret(on: machine)
    return try AsperaAccount(
      host: server.host, user: user, password: key == nil ? secret : nil,
      privateKey: key.map { .file($0, passphrase: secret) }, sshPort: server.port ?? AsperaAccount.defaultPort,
      udpPort: udpPort ?? AsperaAccount.defaultPort,
      hostKey: try sshfp.map { text throws(AsperaError) in try HostKeyFingerprint(text) })
  }

  /// Returns the transfer token from the environment, or `nil` if the environment contains no token.
  func token(on machine: ProviderContext) throws -> AsperaToken? {
    try secret(Self.tokenVariable, on: machine).map { try AsperaToken($0) }
  }

  /// Returns the value of an environment variable, or `nil` if the environment contains no value.
  func secret(_ variable: String, on machine: ProviderContext) -> Secret? {
    machine.environment(variable).flatMap { $0.isEmpty ? nil : Secret($0) }
  }

  /// Returns the password or the passphrase from the file or the environment, or `nil` if there is none.
  func secret(on machine: ProviderContext) throws -> Secret? {
    guard let passwordFile else { return secret(Self.passwordVariable, on: machine) }
    guard let line = try SecretFile(passwordFile).text.split(whereSeparator: \.isNewline).first else {
      throw InputFile.unusable("\(passwordFile) is empty. Put the password on its first line.")
    }
    return Secret(String(line))
  }
}
