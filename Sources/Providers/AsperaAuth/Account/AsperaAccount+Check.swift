// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CloudCredentials
internal import StorageAuth

extension AsperaAccount {
  /// Checks everything about the account that can be checked without contacting its server.
  ///
  /// - Parameter machine: The context that reads the files of a private key and runs `ssh-keygen`.
  /// - Returns: A report about the account's credential, with notes.
  /// - Throws: An ``AsperaError`` if the private key cannot be used (see ``AsperaPrivateKey/check(on:)``), or if the
  ///   password is not UTF-8 or contains a line break or a NUL, which neither ascp nor an SSH client accepts.
  public func check(on machine: ProviderContext) async throws(AsperaError) -> AccountReport {
    var notes: [String] = []
    if hostKey == nil {
      notes.append("The account names no host key, so that any server at \(host) is accepted.")
    }
    switch authentication {
    case .password(let password):
      let isOneLine = [UInt8](password).allSatisfy { $0 != 0 && $0 != 0x0a && $0 != 0x0d }
      guard isOneLine, String(validating: [UInt8](password), as: UTF8.self) != nil else {
        throw AsperaError(
          .invalidAccount, "The password of \(user) at \(host) has a line break or a NUL in it, or is not UTF-8.",
          remedy: "Give the password without a line break; one that is read from a file often ends with one.")
      }
      return AccountReport(authentication: .password, notes: notes)
    case .privateKey(let key):
      let report = try await key.check(on: machine)
      notes += report.limits.map(\.reason)
      if case .unchecked(let reason) = report.passphrase {
        notes.append("The passphrase of the key was not checked: \(reason).")
      }
      return AccountReport(authentication: .privateKey(report), notes: notes)
    }
  }
}
