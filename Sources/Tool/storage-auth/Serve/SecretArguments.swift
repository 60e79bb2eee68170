// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import LocalCloud
internal import StorageAuth

/// Accounts and tokens from a file or the environment, because other users can read command lines (`ps`).
struct SecretArguments {
  /// An option whose values can also be in a file or an environment variable.
  enum Kind: String, CaseIterable {
    case account
    case disabled
    case nodeUser = "node-user"
    case transferAccount = "transfer-account"
    case appToken = "app-token"
    case identityToken = "identity-token"

    var variable: String { "STORAGE_AUTH_" + rawValue.uppercased().replacing("-", with: "_") }
  }

  private var values: [Kind: [String]] = [:]

  /// Reads the environment and a file, or standard input for `-`, which can be read only once.
  init(file: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    for kind in Kind.allCases { values[kind] = environment[kind.variable]?.whitespaceSeparated.map(String.init) }
    if let file { try add(SecretFile(file).text, of: file) }
  }

  subscript(kind: Kind) -> [String] { values[kind] ?? [] }

  func values<Value: SecretArgument>(_ kind: Kind) throws -> [Value] {
    let values = self[kind].map { Value(argument: $0) }
    try values.requireComplete(of: "--\(kind.rawValue)")
    return values
  }

  /// Adds the accounts, or the names and values of options, in the lines of a file that do not start with `#`.
  private mutating func add(_ text: String, of file: String) throws {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.whitespaceSeparated
      guard let first = words.first, first.utf8.first != UInt8(ascii: "#") else { continue }
      switch (Kind(rawValue: String(first)), words.count) {
      case (let kind?, 2): values[kind, default: []].append(String(words[1]))
      case (nil, 1) where first.utf8.contains(UInt8(ascii: ":")): values[.account, default: []].append(String(first))
      default:
        let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw SecretFile.Problem(
          description: "Line \(index + 1) of \(file) is neither id:secret nor the name of an option and its value. "
            + "The options are \(names).")
      }
    }
  }
}

/// An argument with a name and a secret; every string is accepted, because the parser would print a rejected one.
protocol SecretArgument: ExpressibleByArgument {
  init(argument: String)

  var isComplete: Bool { get }
}

extension Array where Element: SecretArgument {
  /// Throws an error, without the values, if a value lacks a name or a secret.
  func requireComplete(of option: String) throws {
    guard allSatisfy(\.isComplete) else {
      throw ValidationError("A value of \(option) is not a name and a secret that are separated by a colon.")
    }
  }
}

/// A login as `NAME:PASSWORD`, of which only the first colon is a delimiter.
struct LoginArgument: SecretArgument {
  let name: String
  let password: Secret

  init(argument: String) {
    let parts = argument.parts(between: ":", maxSplits: 1).map(String.init)
    (name, password) = (parts[0], Secret(parts.count > 1 ? parts[1] : ""))
  }

  var isComplete: Bool { !name.isEmpty && !password.isEmpty }
}

/// An account as `[NUMBER/]ID:SECRET[:TOKEN]`, of which only the first two colons are delimiters.
struct AccountArgument {
  let id: String
  let secret: String
  var token: String?
  var number: String?

  /// Returns an account of random letters and digits that are not easily confused.
  static func random() -> AccountArgument {
    let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789")
    func text(_ count: Int) -> String { String((0..<count).compactMap { _ in alphabet.randomElement() }) }
    return AccountArgument(id: "LOCAL" + text(11), secret: text(30))
  }

  func account(isDisabled: Bool = false) -> LocalCloud.Account {
    LocalCloud.Account(AccessKey(id: id, secret: secret, sessionToken: token), isDisabled: isDisabled, number: number)
  }
}

extension AccountArgument: SecretArgument {
  var isComplete: Bool { !id.isEmpty && !secret.isEmpty }

  init(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    let names = parts[0].parts(between: "/", maxSplits: 1).map(String.init)
    self.init(
      id: names[names.count - 1], secret: parts.count > 1 ? parts[1] : "",
      token: parts.count > 2 && !parts[2].isEmpty ? parts[2] : nil, number: names.count > 1 ? names[0] : nil)
  }
}
