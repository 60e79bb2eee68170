// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension ProviderContext {
  /// Returns a closure that reads an identity token from a file.
  ///
  /// The closure reads the file at each call, because the platform replaces the token before it expires.
  ///
  /// - Parameters:
  ///   - path: The path of the token file.
  ///   - place: The location of the setting that specifies the file, for error messages.
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
