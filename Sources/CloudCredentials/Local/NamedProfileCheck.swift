// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A link of a chain that fails if a variable names a profile which none of the sources before it has.
///
/// Without it, the chain would silently use another identity than the one named.
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
