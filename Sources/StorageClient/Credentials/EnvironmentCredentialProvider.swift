public import StorageAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Access keys from the environment of the process, read anew each time.
public struct EnvironmentCredentialProvider: CredentialProvider {
  private let idName: String
  private let secretName: String
  private let tokenNames: [String]
  private let read: @Sendable () -> [String: String]

  /// The variables of OSS: `OSS_ACCESS_KEY_ID`, `OSS_ACCESS_KEY_SECRET` and, for a temporary key, `OSS_SESSION_TOKEN`.
  public static let oss = EnvironmentCredentialProvider(
    id: "OSS_ACCESS_KEY_ID", secret: "OSS_ACCESS_KEY_SECRET", tokens: ["OSS_SESSION_TOKEN"])

  /// The variables of COS: `TENCENTCLOUD_SECRET_ID`, `TENCENTCLOUD_SECRET_KEY` and, for a temporary key,
  /// `TENCENTCLOUD_TOKEN` or `TENCENTCLOUD_SESSION_TOKEN`.
  public static let cos = EnvironmentCredentialProvider(
    id: "TENCENTCLOUD_SECRET_ID", secret: "TENCENTCLOUD_SECRET_KEY",
    tokens: ["TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SESSION_TOKEN"])

  /// Names the variables.
  ///
  /// - Parameters:
  ///   - id: The variable of the access key id.
  ///   - secret: The variable of the secret.
  ///   - tokens: The variables of the session token; the first that is set counts.
  public init(id: String, secret: String, tokens: [String]) {
    self.init(id: id, secret: secret, tokens: tokens, reading: { ProcessInfo.processInfo.environment })
  }

  init(id: String, secret: String, tokens: [String], reading read: @escaping @Sendable () -> [String: String]) {
    idName = id
    secretName = secret
    tokenNames = tokens
    self.read = read
  }

  /// The same variables, read from elsewhere.
  func reading(_ environment: [String: String]) -> EnvironmentCredentialProvider {
    EnvironmentCredentialProvider(id: idName, secret: secretName, tokens: tokenNames, reading: { environment })
  }

  /// Reads the key; blanks around the values are left out, and an empty variable counts as not set.
  ///
  /// - Returns: The key.
  /// - Throws: A `CredentialError` with the code `notConfigured` that names the variables that are missing.
  public func credential() async throws(CredentialError) -> AccessKey {
    let environment = read()
    func value(_ name: String) -> String? {
      guard let text = environment[name]?.drop(while: \.isWhitespace),
        let last = text.lastIndex(where: { !$0.isWhitespace })
      else { return nil }
      return String(text[...last])
    }
    guard let id = value(idName), let secret = value(secretName) else {
      let missing = [idName, secretName].filter { value($0) == nil }.joined(separator: " and ")
      throw CredentialError(
        .notConfigured, source: "environment", "The environment does not set \(missing).",
        remedy: "Set \(idName) and \(secretName), and \(tokenNames.joined(separator: " or ")) for a temporary key.")
    }
    return AccessKey(id: id, secret: secret, sessionToken: tokenNames.lazy.compactMap(value).first)
  }
}
