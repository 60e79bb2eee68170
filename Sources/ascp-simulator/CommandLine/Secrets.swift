// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The secrets in the environment.
struct Secrets: Sendable {
  /// The password of the user, which is also the passphrase of a key.
  let password: Secret?

  /// A private key in PEM.
  let key: Secret?

  /// The token of the transfer.
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
