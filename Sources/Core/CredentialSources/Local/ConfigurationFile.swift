// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A file of settings of a vendor's tool, at a path that an environment variable can specify.
package struct ConfigurationFile: Sendable {
  /// The maximum size of a configuration file in bytes, about a thousand times the usual size.
  static let sizeLimit = 1 << 20

  package let source: String
  /// The environment variable that contains the file's path, or `nil` if the tool has none.
  package var variable: String?
  /// The default paths, of which the first at which a file exists is used.
  package let paths: [String]
  package let remedy: String

  package init(source: String, variable: String? = nil, paths: [String], remedy: String) {
    self.source = source
    self.variable = variable
    self.paths = paths
    self.remedy = remedy
  }

  package struct Contents {
    package let bytes: [UInt8]
    package let path: String
    /// The reason why others could have written the file, or `nil`.
    fileprivate let weakness: FileWeakness?
    package let location: SettingLocation

    /// Returns the location of a part of this file, such as `profile “default”`, for error messages.
    package func part(_ name: String, remedy: String? = nil) -> SettingLocation {
      SettingLocation(source: location.source, name: "The \(name) in \(path)", remedy: remedy ?? location.remedy)
    }
  }

  /// Reads the file, and reports a warning if other users can read it or could have written it.
  ///
  /// The path that the calling program specifies comes first, then that of the variable, then the default paths.
  ///
  /// - Parameter givenPath: The path that the calling program specifies.
  /// - Throws: `notConfigured` if no path is specified and no file exists. `failed` if there is no file at a specified
  ///   path or a file cannot be read, because a chain must not skip a source that the user intended to use.
  package func read(in context: ProviderContext, named givenPath: String? = nil) throws(CredentialError) -> Contents {
    if let path = givenPath {
      guard let contents = try contents(at: path, in: context) else {
        throw location(of: path).error(.failed, "is not there")
      }
      return contents
    }
    if let variable, let path = context.variable(variable) {
      guard let contents = try contents(at: path, in: context) else {
        throw location(of: "\(path), which \(variable) names,").error(
          .failed, "is not there", remedy: "Correct or remove \(variable).")
      }
      return contents
    }
    for path in paths {
      if let contents = try contents(at: path, in: context) { return contents }
    }
    throw CredentialError(
      .notConfigured, source: source, "There is no file \(paths.joined(separator: " or ")).", remedy: remedy)
  }

  private func location(of file: String) -> SettingLocation {
    SettingLocation(source: source, name: "The file \(file)", remedy: remedy)
  }

  /// Reads the file at a path and reports its warnings, or returns `nil` without a file.
  private func contents(at path: String, in context: ProviderContext) throws(CredentialError) -> Contents? {
    guard let path = context.absolute(path) else { return nil }
    let location = location(of: path)
    guard let file = try context.files.read(path, at: location) else { return nil }
    file.warnings(about: location, at: path).forEach(context.onWarning)
    return Contents(bytes: file.bytes, path: path, weakness: file.anyWeakness(at: path), location: location)
  }
}

extension ConfigurationFile.Contents {
  /// Checks that others could not have written the file, before a command that it names runs with this user's rights.
  package func checkThatCommandsMayBeRun(for location: SettingLocation) throws(CredentialError) {
    guard let weakness else { return }
    throw location.error(
      .failed, "names a command, and others could have written it: \(weakness.reason)", remedy: weakness.remedy)
  }
}

extension FileReader {
  /// Reads a file of settings or a secret, or returns `nil` without one; throws `failed` if it cannot be used.
  package func read(_ path: String, at location: SettingLocation) throws(CredentialError) -> FileContents? {
    do {
      return try read(path, limit: ConfigurationFile.sizeLimit)
    } catch {
      switch error {
      case .notFound: return nil
      case .tooLarge:
        throw location.error(
          .failed, "is larger than \(ConfigurationFile.sizeLimit) bytes", remedy: "See whether it is the right file.")
      case .unreadable(let reason):
        throw location.error(
          .failed, "cannot be read: \(reason)", remedy: "Let the user who runs this program read it, or remove it.")
      }
    }
  }
}

extension FileContents {
  /// Returns the reason why others could have written the file, by its path or else its permissions, or `nil`.
  fileprivate func anyWeakness(at path: String) -> FileWeakness? {
    weakness ?? permissions.flatMap { FileWeakness(permissions: $0, of: "the file \(path)", at: path) }
  }

  func warnings(about location: SettingLocation, at path: String) -> [CredentialWarning] {
    var warnings: [CredentialWarning] = []
    if isReadableByOthers {
      warnings.append(
        CredentialWarning(
          source: location.source, "\(location.name) holds secrets and can be read by others than its owner.",
          remedy: "Run chmod 600 \(path)."))
    }
    if let weakness = anyWeakness(at: path) {
      warnings.append(
        CredentialWarning(
          source: location.source,
          "\(location.name) holds keys, and others could have written them: \(weakness.reason).",
          remedy: weakness.remedy))
    }
    return warnings
  }

  /// Whether members of the file's group or all users can read the file.
  ///
  /// The group of a file that belongs to root does not count: container platforms and service managers let a program's
  /// user read the file by it. The mode does not count at a place that determines the readers of its files itself.
  package var isReadableByOthers: Bool {
    guard place == nil, let permissions else { return false }
    let (groupCanRead, othersCanRead) = (permissions & 0o040 != 0, permissions & 0o004 != 0)
    return othersCanRead || groupCanRead && !isGrantedByRoot
  }
}
