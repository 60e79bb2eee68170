// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension ProviderContext {
  /// Returns the values of environment variables that must be set together.
  ///
  /// - Parameters:
  ///   - names: The names of the variables.
  ///   - telling: The variables out of `names` that other tools do not set. If none of them is set, the source is not
  ///     configured.
  ///   - place: The location of the variables, for error messages.
  /// - Returns: The values of the variables, in the order of `names`.
  /// - Throws: `notConfigured` if no variable of `telling` is set. `failed` if some variables are set and others are
  ///   not.
  func variables(
    _ names: [String], unlessUnset telling: [String], at place: SettingLocation
  ) throws(CredentialError) -> [String] {
    guard telling.contains(where: { variable($0) != nil }) else {
      throw place.error(.notConfigured, "does not set \(telling.joined(separator: " and "))")
    }
    let missing = names.filter { variable($0) == nil }
    guard missing.isEmpty else {
      let present = names.filter { variable($0) != nil }
      throw place.error(
        .failed, "sets \(present.joined(separator: " and ")) but not \(missing.joined(separator: " and "))")
    }
    return names.compactMap { variable($0) }
  }
}
