// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import LocalCloud
internal import StorageAuth

/// The command-line options for the local server's token services, app server and metadata services.
struct ServiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The port of the token services, the app server and the metadata; 0 for any free port.", valueName: "port"))
  var servicesPort = 0

  @Option(
    help: ArgumentHelp(
      "A role that can be assumed; repeatable. One for each cloud by default.", valueName: "arn"))
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

  /// Returns the configuration of the services, with the tokens from the options, the secrets file and the environment.
  ///
  /// - Throws: A `ValidationError` if more than one token for the app server is specified.
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
