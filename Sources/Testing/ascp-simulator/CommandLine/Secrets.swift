// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The secrets in the environment variables of the simulator.
struct Secrets: Sendable {
  /// The user's password, which also serves as the passphrase of the private key, or `nil` if there is no password.
  let password: Secret?

  /// The private key in PEM for the login, or `nil` if the environment contains no key.
  let key: Secret?

  /// The token for the transfer, or `nil` if neither the command line nor the environment contains a token.
  let token: Secret?

  init(_ environment: [String: String], token: String?) throws(Failure) {
    for name in ["ASPERA_SCP_TOKEN", "ASPERA_SCP_COOKIE"] {
      if environment[name]?.contains(where: \.isNewline) == true {
        throw .usage("The environment variable \(name) must not contain newlines")
      }
    }
    password = environment["ASPERA_SCP_PASS"].flatMap { $0.isEmpty ? nil : Secret($0) }
    key = environment["ASPERA_SCP_KEY"].flatMap { $0.isEmpty ? nil : Secret($0) }
    self.token = (token ?? environment["ASPERA_SCP_TOKEN"]).flatMap { $0.isEmpty ? nil : Secret($0) }
  }
}
