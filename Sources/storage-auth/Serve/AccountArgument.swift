// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import LocalCloud
internal import StorageAuth

/// An account on the command line: `ID:SECRET` or `ID:SECRET:TOKEN`; only the first two colons are delimiters.
struct AccountArgument: ExpressibleByArgument {
  let id: String
  let secret: String
  let token: String?

  init(id: String, secret: String, token: String? = nil) {
    self.id = id
    self.secret = secret
    self.token = token
  }

  /// Accepts every string, because the parser would print a rejected one with the secret in it.
  init(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    self.init(
      id: parts[0], secret: parts.count > 1 ? parts[1] : "",
      token: parts.count > 2 && !parts[2].isEmpty ? parts[2] : nil)
  }

  /// Checks that the accounts of an option are complete.
  ///
  /// - Throws: A `ValidationError` that does not contain the arguments.
  static func check(_ accounts: [AccountArgument], of option: String) throws {
    guard accounts.allSatisfy({ !$0.id.isEmpty && !$0.secret.isEmpty }) else {
      throw ValidationError("A value of \(option) is not a name and a secret that are separated by a colon.")
    }
  }

  /// Returns an account with a random id and secret.
  static func random() -> AccountArgument {
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789")
    func text(_ count: Int) -> String {
      String((0..<count).compactMap { _ in alphabet.randomElement() })
    }
    return AccountArgument(id: "LOCAL" + text(11), secret: text(30))
  }

  /// Returns the account in the form that the server expects.
  func account(isDisabled: Bool = false) -> LocalCloud.Account {
    LocalCloud.Account(AccessKey(id: id, secret: secret, sessionToken: token), isDisabled: isDisabled)
  }
}
