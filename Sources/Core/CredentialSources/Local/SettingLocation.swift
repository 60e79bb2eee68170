// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// The location of a setting, such as a profile in a file, for error messages about the setting.
package struct SettingLocation: Sendable {
  /// The name of the provider that reads the setting.
  package let source: String

  /// The location as the subject of a sentence, such as `The profile “default” in /home/mia/.aliyun/config.json`.
  package let name: String

  /// The default remedy in errors about this location, as a sentence.
  package let remedy: String

  package init(source: String, name: String, remedy: String) {
    self.source = source
    self.name = name
    self.remedy = remedy
  }

  /// Returns an error about the setting at this location.
  ///
  /// - Parameters:
  ///   - code: The error's code.
  ///   - predicate: The rest of the sentence whose subject is the location's name.
  ///   - remedy: The remedy, or `nil` for the location's default remedy.
  ///   - isRetryable: Whether a retry can help.
  package func error(
    _ code: CredentialError.Code, _ predicate: String, remedy: String? = nil, isRetryable: Bool = false
  ) -> CredentialError {
    CredentialError(
      code, source: source, "\(name) \(predicate).", remedy: remedy ?? self.remedy, isRetryable: isRetryable)
  }

  /// Returns an error about an invalid value at this location.
  package func malformed(_ predicate: String, remedy: String? = nil) -> CredentialError {
    error(.malformedResponse, predicate, remedy: remedy)
  }
}

extension String {
  /// The string in quotation marks if it looks like a name, or a phrase that contains only its length.
  ///
  /// A string that does not look like a name is not shown, because it may be a misplaced secret.
  package var shownIfName: String {
    let isName = utf8.count <= 24 && allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") }
    return isName ? "“\(self)”" : "a text of \(utf8.count) bytes"
  }
}

extension CredentialError {
  /// Returns this error as an error of the provider at a location, which requested a credential from this error's
  /// provider.
  ///
  /// The code `notConfigured` becomes `failed`.
  fileprivate func inside(_ location: SettingLocation) -> CredentialError {
    CredentialError(
      code == .notConfigured ? .failed : code, source: "\(location.source): \(source)", "\(location.name): \(message)",
      remedy: remedy, isRetryable: isRetryable, declined: declined)
  }
}

extension CredentialProvider {
  /// Requests a credential from this provider on behalf of a setting that requires the provider.
  ///
  /// The error `notConfigured` becomes `failed`, because the setting requires the credential.
  ///
  /// - Parameters:
  ///   - location: The location of the setting, for error messages.
  ///   - context: The context of the call.
  package func issue(
    for location: SettingLocation, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<Value> {
    do {
      let issued = try await issue(in: context)
      return IssuedCredential(
        issued.credential, issuerTime: issued.issuerTime, source: "\(location.source): \(issued.source ?? source)")
    } catch {
      throw error.inside(location)
    }
  }
}
