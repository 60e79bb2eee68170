// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// The location of a setting, for errors.
package struct SettingLocation: Sendable {
  /// The name of the provider.
  package let source: String

  /// The location as the subject of a sentence: `The profile “default” in /home/mia/.aliyun/config.json`.
  package let name: String

  /// The default remedy, as a sentence.
  package let remedy: String

  package init(source: String, name: String, remedy: String) {
    self.source = source
    self.name = name
    self.remedy = remedy
  }

  /// Returns an error about this location.
  ///
  /// - Parameters:
  ///   - code: The code of the error.
  ///   - predicate: The rest of the sentence whose subject is the location.
  ///   - remedy: The remedy, or `nil` for the default one.
  ///   - isRetryable: Whether a retry can help.
  package func error(
    _ code: CredentialError.Code, _ predicate: String, remedy: String? = nil, isRetryable: Bool = false
  ) -> CredentialError {
    CredentialError(
      code, source: source, "\(name) \(predicate).", remedy: remedy ?? self.remedy, isRetryable: isRetryable)
  }

  /// Returns an error about an invalid value at this location.
  package func malformed(_ predicate: String, remedy: String? = nil) -> CredentialError {
    error(.malformedAnswer, predicate, remedy: remedy)
  }
}

extension String {
  /// The string in quotation marks if it looks like a name, otherwise its length, because it may be a misplaced secret.
  package var shownIfName: String {
    let isName = utf8.count <= 24 && allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") }
    return isName ? "“\(self)”" : "a text of \(utf8.count) bytes"
  }
}

extension CredentialError {
  /// Returns this error as one of a source that used another source; `notConfigured` becomes `failed`.
  fileprivate func inside(_ place: SettingLocation) -> CredentialError {
    CredentialError(
      code == .notConfigured ? .failed : code, source: "\(place.source): \(source)", "\(place.name): \(message)",
      remedy: remedy, isRetryable: isRetryable, declined: declined)
  }
}

extension CredentialProvider {
  /// Requests a credential from this provider because a setting demands it, so that `notConfigured` becomes `failed`.
  ///
  /// - Parameter place: The location of the setting.
  func issue(for place: SettingLocation) async throws(CredentialError) -> IssuedCredential<Value> {
    do {
      let issued = try await issue()
      return IssuedCredential(
        issued.credential, issuerTime: issued.issuerTime, source: "\(place.source): \(issued.source ?? source)")
    } catch {
      throw error.inside(place)
    }
  }
}
