// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A provider in a chain that throws an error if an environment variable specifies a profile that the preceding
/// providers do not have.
///
/// Without this check, the chain would continue and silently use another identity than the specified profile.
struct NamedProfileCheck: CredentialProvider {
  var source: String { "named profile (\(variable))" }
  let variable: String
  let files: [String]
  let machine: ProviderContext

  func credential() async throws(CredentialError) -> AccessKey {
    guard let name = machine.variable(variable) else {
      throw CredentialError(
        .notConfigured, source: source, "No profile is named.", remedy: "Set \(variable) to use one by its name.")
    }
    throw CredentialError(
      .failed, source: source,
      "\(variable) names the profile “\(name)”, and no key came from a profile of that name in \(files.joined(separator: " or ")).",
      remedy: "Correct or unset \(variable).")
  }
}
