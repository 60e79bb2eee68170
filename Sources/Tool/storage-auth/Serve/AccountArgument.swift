// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import LocalCloud
internal import StorageAuth

/// An argument that specifies an account, as `ID:SECRET` or `ID:SECRET:TOKEN`.
///
/// Only the first two colons are delimiters.
struct AccountArgument: ExpressibleByArgument {
  let id: String
  let secret: String
  let token: String?

  init(id: String, secret: String, token: String? = nil) {
    self.id = id
    self.secret = secret
    self.token = token
  }

  /// Parses an account from an argument.
  ///
  /// Every string is accepted, because the argument parser would print a rejected argument, which contains the secret.
  init(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    self.init(
      id: parts[0], secret: parts.count > 1 ? parts[1] : "",
      token: parts.count > 2 && !parts[2].isEmpty ? parts[2] : nil)
  }

  /// Checks that the accounts in an option's values are complete.
  ///
  /// - Throws: A `ValidationError` that does not contain the values.
  static func check(_ accounts: [AccountArgument], of option: String) throws {
    guard accounts.allSatisfy({ !$0.id.isEmpty && !$0.secret.isEmpty }) else {
      throw ValidationError("A value of \(option) is not a name and a secret that are separated by a colon.")
    }
  }

  /// Returns an account with a random ID and a random secret.
  static func random() -> AccountArgument {
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789")
    func text(_ count: Int) -> String {
      String((0..<count).compactMap { _ in alphabet.randomElement() })
    }
    return AccountArgument(id: "LOCAL" + text(11), secret: text(30))
  }

  /// Returns the account as the local server expects it.
  func account(isDisabled: Bool = false) -> LocalCloud.Account {
    LocalCloud.Account(AccessKey(id: id, secret: secret, sessionToken: token), isDisabled: isDisabled)
  }
}
