// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// The location of a setting, such as a profile in a file, for error messages about the setting.
package struct SettingLocation: Sendable {
  package let source: String
  /// The location as the subject of a sentence, such as `The profile “default” in /home/mia/.aliyun/config.json`.
  package let name: String
  /// The remedy for errors that have none of their own.
  package let remedy: String

  package init(source: String, name: String, remedy: String) {
    self.source = source
    self.name = name
    self.remedy = remedy
  }

  /// Returns an error whose message is a sentence of the location's name and a predicate.
  package func error(
    _ code: CredentialError.Code, _ predicate: String, remedy: String? = nil, isRetryable: Bool = false
  ) -> CredentialError {
    CredentialError(
      code, source: source, "\(name) \(predicate).", remedy: remedy ?? self.remedy, isRetryable: isRetryable)
  }

  package func malformed(_ predicate: String, remedy: String? = nil) -> CredentialError {
    error(.malformedResponse, predicate, remedy: remedy)
  }
}

extension CredentialProvider {
  /// Requests a credential on behalf of a setting that requires it, so that `notConfigured` becomes `failed`.
  package func issue(
    for location: SettingLocation, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<Value> {
    do {
      let issued = try await issue(in: context)
      return issued.with(source: "\(location.source): \(issued.source ?? source)")
    } catch {
      throw CredentialError(
        error.code == .notConfigured ? .failed : error.code, source: "\(location.source): \(error.source)",
        "\(location.name): \(error.message)", remedy: error.remedy, isRetryable: error.isRetryable,
        declined: error.declined, underlying: error.underlying)
    }
  }
}

extension ProviderContext {
  /// Returns a closure that reads an identity token from a file at each call, because the platform replaces the token.
  package func token(in path: String, for location: SettingLocation) -> IdentityTokenSource {
    { () throws(CredentialError) in
      let fileLocation = SettingLocation(
        source: location.source, name: "The token file \(path)", remedy: "See whether the platform has mounted it.")
      guard let absolutePath = absolute(path), let contents = try files.read(absolutePath, at: fileLocation) else {
        throw fileLocation.error(.failed, "is not there")
      }
      guard let text = String(utf8: contents.bytes)?.trimmed else { throw fileLocation.malformed("holds no text") }
      return Secret(text)
    }
  }

  /// Returns the values of environment variables that must be set together, in the order of `names`.
  ///
  /// - Parameter required: The variables out of `names` that other tools do not set.
  /// - Throws: `notConfigured` if no variable of `required` is set. `failed` if only some of the variables are set.
  package func variables(
    _ names: [String], requiring required: [String], at location: SettingLocation
  ) throws(CredentialError) -> [String] {
    guard required.contains(where: { variable($0) != nil }) else {
      throw location.error(.notConfigured, "does not set \(required.joined(separator: " and "))")
    }
    let values = names.compactMap { variable($0) }
    guard values.count == names.count else {
      let present = names.filter { variable($0) != nil }.joined(separator: " and ")
      let missing = names.filter { variable($0) == nil }.joined(separator: " and ")
      throw location.error(.failed, "sets \(present) but not \(missing)")
    }
    return values
  }
}
