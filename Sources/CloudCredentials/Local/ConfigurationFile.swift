package import StorageAuth

/// A file of one of the vendors' tools: where it is, and what is said when it is not there or cannot be read.
package struct ConfigurationFile: Sendable {
  /// The greatest size that is read: a thousand times what these files have.
  static let sizeLimit = 1 << 20

  /// The name of the provider.
  package let source: String

  /// The environment variable that names another file, if there is one.
  var variable: String?

  /// Where the file is unless it is named: the first of these that is there.
  let paths: [String]

  /// How such a file is written, in a sentence.
  let remedy: String

  /// Names a file.
  ///
  /// - Parameters:
  ///   - source: The name of the provider.
  ///   - variable: The environment variable that names another file.
  ///   - paths: Where the file is unless it is named.
  ///   - remedy: How such a file is written, in a sentence.
  package init(source: String, variable: String? = nil, paths: [String], remedy: String) {
    self.source = source
    self.variable = variable
    self.paths = paths
    self.remedy = remedy
  }

  /// What was read, and where it stands.
  package struct Contents {
    package let bytes: [UInt8]
    package let path: String
    let weakness: FileWeakness?
    package let place: SettingLocation

    /// A part of the file, such as `profile “default”`.
    package func part(_ name: String, remedy: String? = nil) -> SettingLocation {
      SettingLocation(source: place.source, name: "The \(name) in \(path)", remedy: remedy ?? place.remedy)
    }
  }

  /// Reads the file; warns if others can read it or could have written it.
  ///
  /// - Parameters:
  ///   - machine: What may be touched.
  ///   - named: The path that the program names, if it does.
  /// - Returns: The bytes.
  /// - Throws: `notConfigured` if there is no file; `failed` if a file that was named is not there, or if a file cannot
  ///   be read: what somebody meant to be used must not be passed over.
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
  /// Reads a small file.
  ///
  /// - Returns: Nothing if there is no such file.
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
  /// Refuses to run what a file names that others could have written: it would run with the rights of this user.
  ///
  /// - Throws: `failed`, with the reason and the remedy.
  func checkThatCommandsMayBeRun(for place: SettingLocation) throws(CredentialError) {
    guard let weakness else { return }
    throw place.error(
      .failed, "names a command, and others could have written it: \(weakness.reason)", remedy: weakness.remedy)
  }
}

extension FileContents {
  /// Whether the group or others may read the file.
  package var isReadableByOthers: Bool { permissions.map { $0 & 0o044 != 0 } ?? false }
}
