public import CloudCredentials
public import StorageAuth

/// Access to a Node API from the environment of the process, read anew each time.
///
/// There are three ways, of which one may be set: `ASPERA_NODE_USER` and `ASPERA_NODE_PASSWORD` for a node user,
/// `ASPERA_ACCESS_KEY_ID` and `ASPERA_ACCESS_KEY_SECRET` for an access key, `ASPERA_ACCESS_KEY_ID` and
/// `ASPERA_NODE_TOKEN` for a bearer token of one. The vendor names no such variables; these are the package's own.
///
/// If none of them is set, the provider declines. A half of a way, or two of them, is an error.
public struct AsperaEnvironmentProvider: CredentialProvider {
  private static let names = NodeAccessSettings.Names(
    user: "ASPERA_NODE_USER", password: "ASPERA_NODE_PASSWORD", accessKey: "ASPERA_ACCESS_KEY_ID",
    secret: "ASPERA_ACCESS_KEY_SECRET", token: "ASPERA_NODE_TOKEN")

  private let machine: ProviderContext

  /// The name of the source.
  public var source: String { "environment (Aspera)" }

  /// Names the machine.
  ///
  /// - Parameter machine: Whose environment is read.
  public init(_ machine: ProviderContext) {
    self.machine = machine
  }

  /// Reads the variables; blanks around the values are left out, and an empty variable counts as not set.
  ///
  /// - Returns: The access.
  /// - Throws: A `CredentialError` that names the variables: `notConfigured` if none is set, `failed` if those that are do
  ///   not make one whole way, or hold what cannot be used.
  public func credential() async throws(CredentialError) -> AsperaNodeAccess {
    let names = Self.names
    let place = SettingLocation(
      source: source, name: "The environment",
      remedy: "Set \(names.user) and \(names.password), or \(names.accessKey) and either \(names.secret) or "
        + "\(names.token), and unset the others.")
    var values: [String: String] = [:]
    for name in names.all { values[name] = machine.variable(name) }
    let settings = NodeAccessSettings(names: names, values: values, place: place)
    guard let access = try settings.access(at: machine.time.now) else {
      throw place.error(.notConfigured, "sets none of \(names.all.joined(separator: ", "))")
    }
    return access
  }
}

extension AsperaEnvironmentProvider: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the source.
  public var description: String { "AsperaEnvironmentProvider(\(source))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
