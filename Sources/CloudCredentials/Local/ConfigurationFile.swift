// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A configuration file of a vendor's tool: its possible paths, and the remedy in errors about it.
package struct ConfigurationFile: Sendable {
  /// The maximum size in bytes, about a thousand times the usual size of these files.
  static let sizeLimit = 1 << 20

  /// The name of the provider.
  package let source: String

  /// The environment variable that sets another path, or `nil` if there is none.
  var variable: String?

  /// The default paths, of which the first existing file is used.
  let paths: [String]

  /// The remedy, a sentence that says how to create such a file.
  let remedy: String

  /// Creates a description of a file.
  ///
  /// - Parameters:
  ///   - source: The name of the provider.
  ///   - variable: The environment variable that sets another path, or `nil` if there is none.
  ///   - paths: The default paths, of which the first existing file is used.
  ///   - remedy: A sentence that says how to create such a file.
  package init(source: String, variable: String? = nil, paths: [String], remedy: String) {
    self.source = source
    self.variable = variable
    self.paths = paths
    self.remedy = remedy
  }

  /// The content of the file and its location.
  package struct Contents {
    package let bytes: [UInt8]
    package let path: String
    let weakness: FileWeakness?
    package let place: SettingLocation

    /// Returns the location of a part of the file, such as `profile “default”`.
    package func part(_ name: String, remedy: String? = nil) -> SettingLocation {
      SettingLocation(source: place.source, name: "The \(name) in \(path)", remedy: remedy ?? place.remedy)
    }
  }

  /// Reads the file; reports a warning if other users can read it or could have written it.
  ///
  /// - Parameters:
  ///   - machine: The context that reads the file.
  ///   - named: The path that the program sets, or `nil` for the variable or the default paths.
  /// - Returns: The content of the file.
  /// - Throws: `notConfigured` if no file exists; `failed` if a path is set and the file does not exist, or if a file
  ///   cannot be read, because a chain must not skip a source that the user intended to use.
  package func read(on machine: ProviderContext, named: String? = nil) throws(CredentialError) -> Contents {
    let fromVariable = variable.flatMap { machine.variable($0) }
    if let path = named ?? fromVariable {
      let by = named == nil ? ", which \(variable ?? "") names," : ""
      guard let contents = try contents(of: path, on: machine) else {
        throw place(of: path + by).error(
          .failed, "is not there", remedy: named == nil ? "Correct or remove \(variable ?? "")." : nil)
      }
      return contents
    }
    for path in paths {
      if let contents = try contents(of: path, on: machine) { return contents }
    }
    throw CredentialError(
      .notConfigured, source: source, "There is no file \(paths.joined(separator: " or ")).", remedy: remedy)
  }

  private func place(of path: String) -> SettingLocation {
    SettingLocation(source: source, name: "The file \(path)", remedy: remedy)
  }

  private func contents(of path: String, on machine: ProviderContext) throws(CredentialError) -> Contents? {
    guard let absolute = machine.absolute(path) else { return nil }
    let place = place(of: absolute)
    guard let contents = try machine.read(absolute, at: place) else { return nil }
    if contents.isReadableByOthers {
      machine.onWarning(
        CredentialWarning(
          source: source, "\(place.name) holds secrets and can be read by others than its owner.",
          remedy: "Run chmod 600 \(absolute)."))
    }
    let weakness =
      contents.weakness
      ?? contents.permissions.flatMap { FileWeakness(permissions: $0, of: "the file \(absolute)", at: absolute) }
    if let weakness {
      machine.onWarning(
        CredentialWarning(
          source: source, "\(place.name) holds keys, and others could have written them: \(weakness.reason).",
          remedy: weakness.remedy))
    }
    return Contents(bytes: contents.bytes, path: absolute, weakness: weakness, place: place)
  }
}

extension ProviderContext {
  /// Reads a small file, or returns `nil` if it does not exist.
  func read(_ path: String, at place: SettingLocation) throws(CredentialError) -> FileContents? {
    do {
      return try files.read(path, limit: ConfigurationFile.sizeLimit)
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

extension ConfigurationFile.Contents {
  /// Checks that other users could not have written the file, before a command that it names runs with this user's
  /// rights.
  ///
  /// - Throws: `failed`, with the reason and the remedy.
  func checkThatCommandsMayBeRun(for place: SettingLocation) throws(CredentialError) {
    guard let weakness else { return }
    throw place.error(
      .failed, "names a command, and others could have written it: \(weakness.reason)", remedy: weakness.remedy)
  }
}

extension FileContents {
  /// Whether the group or other users can read the file.
  package var isReadableByOthers: Bool { permissions.map { $0 & 0o044 != 0 } ?? false }
}
