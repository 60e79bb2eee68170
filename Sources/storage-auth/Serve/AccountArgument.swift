internal import ArgumentParser
internal import LocalCloud
internal import StorageAuth

/// An account on the command line: `ID:SECRET` or `ID:SECRET:TOKEN`; only the first two colons split.
struct AccountArgument: ExpressibleByArgument {
  let id: String
  let secret: String
  let token: String?

  init(id: String, secret: String, token: String? = nil) {
    self.id = id
    self.secret = secret
    self.token = token
  }

  /// Takes any text: one that is refused here is printed by the parser, with the secret in it.
  init(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    self.init(
      id: parts[0], secret: parts.count > 1 ? parts[1] : "",
      token: parts.count > 2 && !parts[2].isEmpty ? parts[2] : nil)
  }

  /// Checks that the accounts of an option are complete.
  ///
  /// - Throws: A `ValidationError` that says nothing of what was written.
  static func check(_ accounts: [AccountArgument], of option: String) throws {
    guard accounts.allSatisfy({ !$0.id.isEmpty && !$0.secret.isEmpty }) else {
      throw ValidationError("A value of \(option) is not a name and a secret with a colon between them.")
    }
  }

  /// An account that nobody has guessed.
  static func random() -> AccountArgument {
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789")
    func text(_ count: Int) -> String {
      String((0..<count).compactMap { _ in alphabet.randomElement() })
    }
    return AccountArgument(id: "LOCAL" + text(11), secret: text(30))
  }

  /// The account as the server knows it.
  func account(isDisabled: Bool = false) -> LocalCloud.Account {
    LocalCloud.Account(AccessKey(id: id, secret: secret, sessionToken: token), isDisabled: isDisabled)
  }
}
