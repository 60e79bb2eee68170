public import StorageAuth

/// Access keys from the environment of the process, read anew each time.
///
/// If none of the variables is set, the provider declines. If some are set and the id or the secret is missing, it fails:
/// a key that is half there is a mistake, and going on to another source would quietly use another identity.
public struct EnvironmentCredentialProvider: CredentialProvider {
  private let idName: String
  private let secretName: String
  private let tokenNames: [String]
  private let expirationName: String?
  private let read: @Sendable (String) -> String?

  /// The name of the source.
  public var source: String { "environment (\(idName))" }

  /// Names the variables.
  ///
  /// - Parameters:
  ///   - id: The variable of the access key id.
  ///   - secret: The variable of the secret.
  ///   - tokens: The variables of the session token; the first that is set counts. There may be none.
  ///   - expiration: The variable of the time at which the key ends, in ISO 8601 or as Unix time; `nil` if there is none.
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

  /// The same variables, read from the environment of `machine`.
  public func reading(_ machine: ProviderContext) -> EnvironmentCredentialProvider {
    reading(machine.environment)
  }

  /// The same variables, read from elsewhere.
  package func reading(_ environment: [String: String]) -> EnvironmentCredentialProvider {
    reading { environment[$0] }
  }

  /// Reads the key; blanks around the values are left out, and an empty variable counts as not set.
  ///
  /// - Returns: The key.
  /// - Throws: A `CredentialError` that names the variables that are missing: `notConfigured` if none is set, `failed` if
  ///   only some are.
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

  /// The end of the key, where a variable names it.
  private func expiration() throws(CredentialError) -> Timestamp? {
    guard let expirationName, let text = read(expirationName)?.trimmed else { return nil }
    guard let end = Timestamp(expiration: text) else {
      throw CredentialError(
        .failed, source: source, "The environment sets \(expirationName) to what is no time.",
        remedy: "Write it as 2026-11-20T08:00:00Z, or unset it.")
    }
    return end
  }

  /// What else is set for a temporary key, where there is a variable for its token.
  private var tokenAdvice: String {
    tokenNames.isEmpty ? "" : ", and \(tokenNames.joined(separator: " or ")) for a temporary key"
  }

  /// Refuses a key that no signer could send.
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
