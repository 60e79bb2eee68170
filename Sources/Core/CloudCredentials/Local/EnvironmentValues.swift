// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The values of environment variables, each of which can be in a file that another variable names.
///
/// The file with the value of `NAME` is named by `NAME_FILE`, as container images usually have it, because a secret in a
/// file is visible to fewer processes than one in the environment.
struct EnvironmentValues: Sendable {
  /// A closure that returns the value of an environment variable, or `nil` if the variable is not set.
  var variable: @Sendable (_ name: String) -> String?

  /// The reader of the files.
  var files: any FileReader = SystemFiles()

  /// A closure that receives a warning if other users can read or could have written a file.
  var onWarning: @Sendable (CredentialWarning) -> Void = { _ in }

  /// Returns whether a variable, or the variable that names its file, is set to more than whitespace.
  func isSet(_ name: String) -> Bool {
    variable(name)?.trimmed != nil || variable(Self.fileVariable(of: name))?.trimmed != nil
  }

  /// Returns the value of a variable without surrounding whitespace, or `nil` if neither the variable nor the variable
  /// that names its file is set.
  ///
  /// The file is read at each call, because a platform may replace it.
  ///
  /// - Parameters:
  ///   - name: The name of the variable that contains the value.
  ///   - source: The name of the provider that reads the variable, for error messages.
  /// - Throws: `failed` if both variables are set, or if the file cannot be used.
  func value(_ name: String, for source: String) throws(CredentialError) -> String? {
    let value = variable(name)?.trimmed
    let fileVariable = Self.fileVariable(of: name)
    guard let path = variable(fileVariable)?.trimmed else { return value }
    guard value == nil else {
      throw CredentialError(
        .failed, source: source, "The environment sets both \(name) and \(fileVariable).", remedy: "Unset one of them.")
    }
    let place = SettingLocation(
      source: source, name: "The file \(path), which \(fileVariable) names,",
      remedy: "Correct or unset \(fileVariable).")
    guard let contents = try files.read(path, at: place) else { throw place.error(.failed, "is not there") }
    contents.warnings(about: place, at: path).forEach(onWarning)
    guard let text = String(validating: contents.bytes, as: UTF8.self)?.trimmed else {
      throw place.error(.failed, "holds no text")
    }
    return text
  }

  private static func fileVariable(of name: String) -> String { "\(name)_FILE" }
}

extension FileReader {
  /// Reads a small file with settings, or returns `nil` if the file does not exist.
  func read(_ path: String, at place: SettingLocation) throws(CredentialError) -> FileContents? {
    do {
      return try read(path, limit: ConfigurationFile.sizeLimit)
    } catch {
      switch error {
      case .notFound: return nil
      case .tooLarge:
        throw place.error(
          .failed, "is larger than \(ConfigurationFile.sizeLimit) bytes", remedy: "See whether it is the right file.")
      case .unreadable(let reason):
        throw place.error(
          .failed, "cannot be read: \(reason)", remedy: "Let the user who runs this program read it, or remove it.")
      }
    }
  }
}

extension FileContents {
  /// A reason why another user could have written the file, from the file system or from the permission bits.
  func weakness(at path: String) -> FileWeakness? {
    weakness ?? permissions.flatMap { FileWeakness(permissions: $0, of: "the file \(path)", at: path) }
  }

  /// Returns warnings if other users can read a file with secrets, or could have written it.
  func warnings(about place: SettingLocation, at path: String) -> [CredentialWarning] {
    var warnings: [CredentialWarning] = []
    if isReadableByOthers {
      warnings.append(
        CredentialWarning(
          source: place.source, "\(place.name) holds secrets and can be read by others than its owner.",
          remedy: "Run chmod 600 \(path)."))
    }
    if let weakness = weakness(at: path) {
      warnings.append(
        CredentialWarning(
          source: place.source, "\(place.name) holds keys, and others could have written them: \(weakness.reason).",
          remedy: weakness.remedy))
    }
    return warnings
  }
}

extension ProxyConfiguration {
  /// The proxies in the environment of this process: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
  ///
  /// - Throws: A `TransportError` with the code `invalidConfiguration` that names the variable, without its value.
  public static var environment: ProxyConfiguration {
    get throws(TransportError) { try ProxyConfiguration(environment: ProviderContext.processEnvironment) }
  }
}
