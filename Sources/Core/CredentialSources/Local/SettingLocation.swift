// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// The location of a setting, such as a profile in a file, for error messages about the setting.
package struct SettingLocation: Sendable {
  package let source: String

  /// The location as the subject of a sentence, such as `The profile “default” in /home/mia/.aliyun/config.json`.
  package let name: String

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

extension CredentialError {
  /// Returns this error as one of the provider at a location, with `failed` in place of `notConfigured`.
  fileprivate func inside(_ location: SettingLocation) -> CredentialError {
    CredentialError(
      code == .notConfigured ? .failed : code, source: "\(location.source): \(source)", "\(location.name): \(message)",
      remedy: remedy, isRetryable: isRetryable, declined: declined)
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
      throw error.inside(location)
    }
  }
}
