internal import StorageAuth

extension ProviderContext {
  /// Variables that only make sense together.
  ///
  /// - Parameters:
  ///   - names: The variables.
  ///   - telling: Those of them that nobody sets for another reason.
  ///   - place: The environment, for errors.
  /// - Returns: Their values.
  /// - Throws: `notConfigured` if none of the telling ones is set, `failed` if some variables are set and others are not.
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
