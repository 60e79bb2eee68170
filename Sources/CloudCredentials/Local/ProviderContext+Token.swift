internal import StorageAuth

extension ProviderContext {
  /// Reads the token of an identity provider from a file, anew each time: the platform replaces it while it lives.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - place: Who names it, for errors.
  func token(
    in path: String, for place: SettingLocation
  ) -> @Sendable @concurrent () async throws(CredentialError) -> Secret {
    { () throws(CredentialError) in
      let file = SettingLocation(
        source: place.source, name: "The token file \(path)", remedy: "See whether the platform has mounted it.")
      guard let absolute = absolute(path), let contents = try read(absolute, at: file) else {
        throw file.error(.failed, "is not there")
      }
      guard let text = String(validating: contents.bytes, as: UTF8.self)?.trimmed else {
        throw file.malformed("holds no text")
      }
      return Secret(text)
    }
  }
}
