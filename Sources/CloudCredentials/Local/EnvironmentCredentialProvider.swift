// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A provider of access keys from environment variables, which are read for each credential.
///
/// If none of the variables is set, the error is `notConfigured`. If some are set but the ID or the secret is missing,
/// the error is `failed`: an incomplete key is a mistake, and a chain that continued with its next source would
/// silently use another identity.
public struct EnvironmentCredentialProvider: CredentialProvider {
  private let idName: String
  private let secretName: String
  private let tokenNames: [String]
  private let expirationName: String?
  private let read: @Sendable (String) -> String?

  /// The name of the provider, for errors.
  public var source: String { "environment (\(idName))" }

  /// Creates a provider for a set of variables.
  ///
  /// - Parameters:
  ///   - id: The variable with the access key ID.
  ///   - secret: The variable with the secret.
  ///   - tokens: The variables with the session token, of which the first one that is set is used; may be empty.
  ///   - expiration: The variable with the expiration, in ISO 8601 or as Unix time, or `nil` if there is none.
  public init(id: String, secret: String, tokens: [String], expiration: String? = nil) {
    self.init(
      id: id, secret: secret, tokens: tokens, expiration: expiration, read: { ProviderContext.processEnvironment($0) })
  }

  private init(
    id: String, secret: String, tokens: [String], expiration: String?, read: @escaping @Sendable (String) -> String?
  ) {
    idName = id
    secretName = secret
    tokenNames = tokens
    expirationName = expiration
    self.read = read
  }

  private func reading(_ read: @escaping @Sendable (String) -> String?) -> EnvironmentCredentialProvider {
    EnvironmentCredentialProvider(
      id: idName, secret: secretName, tokens: tokenNames, expiration: expirationName, read: read)
  }

  /// Returns a provider that reads the same variables from another context's environment.
  ///
  /// - Parameter machine: The context.
  public func reading(_ machine: ProviderContext) -> EnvironmentCredentialProvider {
    reading(machine.environment)
  }

  /// Returns a provider that reads the same variables from a dictionary.
  package func reading(_ environment: [String: String]) -> EnvironmentCredentialProvider {
    reading { environment[$0] }
  }

  /// Reads the key; surrounding blanks are removed from values, and an empty variable counts as unset.
  ///
  /// - Returns: The key.
  /// - Throws: A `CredentialError` that names the missing variables: `notConfigured` if none is set, `failed` if only
  ///   some are set or the key is not valid.
  public func credential() async throws(CredentialError) -> AccessKey {
    let id = read(idName)?.trimmed
    let secret = read(secretName)?.trimmed
    let token = tokenNames.lazy.compactMap { read($0)?.trimmed }.first
    if let id, let secret {
      return try checked(AccessKey(id: id, secret: secret, sessionToken: token, expiration: try expiration()))
    }
    let missing = [id == nil ? idName : nil, secret == nil ? secretName : nil].compactMap(\.self)
    let isUnset = missing.count == 2 && token == nil
    let others = ([idName, secretName] + tokenNames).filter { !missing.contains($0) && read($0)?.trimmed != nil }
    throw CredentialError(
      isUnset ? .notConfigured : .failed, source: source,
      isUnset
        ? "The environment does not set \(missing.joined(separator: " and "))."
        : "The environment sets \(others.joined(separator: " and ")) but not \(missing.joined(separator: " and ")).",
      remedy: isUnset
        ? "Set \(idName) and \(secretName)\(tokenAdvice)."
        : "Set \(missing.joined(separator: " and ")) as well, or unset the others.")
  }

  /// Returns the expiration, or `nil` if no variable sets it.
  private func expiration() throws(CredentialError) -> Timestamp? {
    guard let expirationName, let text = read(expirationName)?.trimmed else { return nil }
    guard let end = Timestamp(expiration: text) else {
      throw CredentialError(
        .failed, source: source, "The environment sets \(expirationName) to a value that is not a time.",
        remedy: "Write it as 2026-11-20T08:00:00Z, or unset it.")
    }
    return end
  }

  /// The part of the remedy that names the variables of the session token.
  private var tokenAdvice: String {
    tokenNames.isEmpty ? "" : ", and \(tokenNames.joined(separator: " or ")) for a temporary key"
  }

  /// Checks that a key can be sent by a signer.
  private func checked(_ key: AccessKey) throws(CredentialError) -> AccessKey {
    do {
      try key.check()
      return key
    } catch {
      throw CredentialError(
        .failed, source: source, "The key of the environment cannot be used. \(error.message)", remedy: error.remedy)
    }
  }
}
