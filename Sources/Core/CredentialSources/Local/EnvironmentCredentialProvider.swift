// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A provider of access keys from environment variables.
///
/// The variables are read for each credential. Each value can also be in a file: `OSS_ACCESS_KEY_SECRET_FILE` names the
/// file with the value of `OSS_ACCESS_KEY_SECRET`, and so on for every variable with a part of the key. If none of them
/// is set, the error is `notConfigured`. If some are set but the ID or the secret is missing, the error is `failed`: an
/// incomplete key is a mistake, and a chain that continued with its next source would silently use another identity.
public struct EnvironmentCredentialProvider: CredentialProvider {
  private let idName: String
  private let secretName: String
  private let tokenNames: [String]
  private let expirationName: String?

  /// The provider's name, for error messages.
  public var source: String { "environment (\(idName))" }

  /// Creates a provider that reads the given environment variables.
  ///
  /// - Parameters:
  ///   - id: The name of the variable that contains the access key ID.
  ///   - secret: The name of the variable that contains the secret access key.
  ///   - tokens: The names of the variables for the session token, of which the first that is set is used.
  ///   - expiration: The name of the variable with the expiration in ISO 8601 or Unix time, or `nil` if there is none.
  public init(id: String, secret: String, tokens: [String], expiration: String? = nil) {
    idName = id
    secretName = secret
    tokenNames = tokens
    expirationName = expiration
  }

  /// Reads the access key from the environment.
  ///
  /// Leading and trailing whitespace is removed from values, and an empty variable counts as unset.
  ///
  /// - Parameter context: The context whose environment and files the provider reads.
  /// - Returns: The access key.
  /// - Throws: A `CredentialError` that lists the missing variables: `notConfigured` if no variable is set, `failed` if
  ///   only some variables are set, a file cannot be used, or the key is invalid.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let id = try value(of: idName, in: context)
    let secret = try value(of: secretName, in: context)
    let tokenName = tokenNames.first { isSet($0, in: context) }
    let token = try tokenName.flatMap { name throws(CredentialError) in try value(of: name, in: context) }
    guard let id, let secret else {
      let missingNames = [id == nil ? idName : nil, secret == nil ? secretName : nil].compactMap(\.self)
      throw incompleteKeyError(missingNames, in: context)
    }
    let key = AccessKey(id: id, secret: secret, sessionToken: token, expiration: try expiration(in: context))
    do {
      try key.check(idWithout: [])
    } catch {
      throw CredentialError(
        .failed, source: source, "The key of the environment cannot be used. \(error.message)", remedy: error.remedy)
    }
    return IssuedCredential(key)
  }

  private func incompleteKeyError(_ missingNames: [String], in context: ProviderContext) -> CredentialError {
    let missing = missingNames.joined(separator: " and ")
    let presentNames = ([idName, secretName] + tokenNames).filter { isSet($0, in: context) }
    guard !presentNames.isEmpty else {
      let tokenAdvice = tokenNames.isEmpty ? "" : ", and \(tokenNames.joined(separator: " or ")) for a temporary key"
      return CredentialError(
        .notConfigured, source: source, "The environment does not set \(missing).",
        remedy: "Set \(idName) and \(secretName)\(tokenAdvice).")
    }
    return CredentialError(
      .failed, source: source, "The environment sets \(presentNames.joined(separator: " and ")) but not \(missing).",
      remedy: "Set \(missing) as well, or unset the others.")
  }

  private func isSet(_ name: String, in context: ProviderContext) -> Bool {
    context.variable(name) != nil || context.variable(fileVariable(of: name)) != nil
  }

  /// Returns the value of a variable, or of the file that the variable with the suffix `_FILE` names.
  ///
  /// The file is read at each call, because a platform may replace it.
  private func value(of name: String, in context: ProviderContext) throws(CredentialError) -> String? {
    let directValue = context.variable(name)
    let fileVariable = fileVariable(of: name)
    guard let path = context.variable(fileVariable) else { return directValue }
    guard directValue == nil else {
      throw CredentialError(
        .failed, source: source, "The environment sets both \(name) and \(fileVariable).", remedy: "Unset one of them.")
    }
    let location = SettingLocation(
      source: source, name: "The file \(path), which \(fileVariable) names,",
      remedy: "Correct or unset \(fileVariable).")
    guard let contents = try context.files.read(path, at: location) else {
      throw location.error(.failed, "is not there")
    }
    contents.warnings(about: location, at: path).forEach(context.onWarning)
    guard let text = String(utf8: contents.bytes)?.trimmed else { throw location.error(.failed, "holds no text") }
    return text
  }

  private func fileVariable(of name: String) -> String { "\(name)_FILE" }

  private func expiration(in context: ProviderContext) throws(CredentialError) -> Timestamp? {
    guard let expirationName, let text = context.variable(expirationName) else { return nil }
    guard let expiration = Timestamp(expiration: text) else {
      throw CredentialError(
        .failed, source: source, "The environment sets \(expirationName) to a value that is not a time.",
        remedy: "Write it as 2026-11-20T08:00:00Z, or unset it.")
    }
    return expiration
  }
}
