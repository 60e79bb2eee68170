public import CloudCredentials
public import StorageAuth
internal import StorageJSON

/// Access to a Node API from a file of profiles: `~/.aspera/storage-auth.json`.
///
/// The vendor's tools have no such file in a form that others may rely on; this one is the package's own:
///
/// ```json
/// {
///   "default": { "user": "mia", "password": "…" },
///   "archive": { "access_key_id": "…", "access_key_secret": "…" },
///   "guest": { "access_key_id": "…", "token": "…" }
/// }
/// ```
///
/// The profile is the one that is named here, or by `ASPERA_PROFILE`, or `default`; `ASPERA_CREDENTIALS_FILE` names
/// another file. A half of a way to authorize, or two of them in one profile, is an error.
public struct AsperaProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "Aspera profile", variable: "ASPERA_CREDENTIALS_FILE", paths: ["~/.aspera/storage-auth.json"],
    remedy: #"Write it as {"default": {"user": "…", "password": "…"}}, and run chmod 600 on it."#)

  private static let names = NodeAccessSettings.Names(
    user: "user", password: "password", accessKey: "access_key_id", secret: "access_key_secret", token: "token")

  private static let variable = "ASPERA_PROFILE"

  private let machine: ProviderContext
  private let profile: String?
  private let path: String?

  /// The name of the source.
  public var source: String { Self.file.source }

  /// Names the profile.
  ///
  /// - Parameters:
  ///   - profile: The name of the profile; if it is not given, the environment names it, or it is `default`.
  ///   - path: The file, where it is not the usual one.
  ///   - machine: What may be touched.
  public init(profile: String? = nil, path: String? = nil, machine: ProviderContext) {
    self.machine = machine
    self.profile = profile
    self.path = path
  }

  /// Reads the profile; warns if others can read the file.
  ///
  /// - Returns: The access.
  /// - Throws: A `CredentialError`: `notConfigured` if there is no such file or nothing in its profile `default`,
  ///   `failed` or `malformedAnswer` if a profile that somebody named is not there, or if what is there cannot be used.
  public func credential() async throws(CredentialError) -> AsperaNodeAccess {
    let named = profile ?? machine.variable(Self.variable)
    do {
      return try access(named ?? "default", isNamed: named != nil)
    } catch {
      guard named != nil, error.code == .notConfigured else { throw error }
      throw CredentialError(
        .failed, source: source, "\(error.message) A profile was named.",
        remedy: "Correct the name, or leave it out: \(error.remedy)")
    }
  }

  private func access(_ name: String, isNamed: Bool) throws(CredentialError) -> AsperaNodeAccess {
    let contents = try Self.file.read(on: machine, named: path)
    let document: JSONValue
    do {
      document = try JSONValue(parsing: contents.bytes)
    } catch {
      throw contents.place.malformed("is not JSON: \(error)")
    }
    guard let profiles = document.object else { throw contents.place.malformed("is not a JSON object") }
    let place = contents.part("profile “\(name)”")
    guard let members = profiles[name], members != .null else { throw place.error(.notConfigured, "is not there") }
    guard let members = members.object else { throw place.malformed("is not a JSON object") }
    var values: [String: String] = [:]
    for name in Self.names.all {
      switch members[name] {
      case nil, .null?: break
      case .string(let text)?: values[name] = text.isEmpty ? nil : text
      default: throw place.malformed("has no text in “\(name)”")
      }
    }
    let settings = NodeAccessSettings(names: Self.names, values: values, place: place)
    guard let access = try settings.access(at: machine.time.now) else {
      throw place.error(.notConfigured, "has no credential")
    }
    return access
  }
}

extension AsperaProfileProvider: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the source.
  public var description: String { "AsperaProfileProvider(\(source))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
