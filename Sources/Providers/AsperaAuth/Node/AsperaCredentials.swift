// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources

/// The default credential providers for a Node API: the environment variables, then a configuration file.
///
/// Each provider can be replaced or left out. An unconfigured one is skipped, and an invalid one ends the search.
///
/// ```swift
/// var sources = AsperaCredentials()
/// sources.profile = vault
/// let access = CredentialCache(sources.chain)
/// ```
public struct AsperaCredentials: Sendable {
  /// The type of a credential provider in the chain, or `nil` to skip the provider.
  public typealias Source = (any CredentialProvider<AsperaNodeAccess>)?

  /// The provider of environment variables (``AsperaEnvironmentProvider``), or `nil` to skip this provider.
  public var environment: Source
  /// The provider of a profile in `~/.aspera/storage-auth.json` (`asperaProfile()`), or `nil` to skip this provider.
  public var profile: Source

  /// Creates the default credential providers.
  public init() {
    environment = AsperaEnvironmentProvider()
    profile = ProfileCredentialProvider.asperaProfile()
  }

  /// A chain of the providers that are not `nil`: first the environment, then the profile.
  public var chain: CredentialChain<AsperaNodeAccess> {
    CredentialChain([environment, profile].compactMap(\.self), source: "Aspera default sources")
  }
}

extension CredentialProvider where Self == CredentialChain<AsperaNodeAccess> {
  /// The chain of the default credential providers for a Node API, which ``AsperaCredentials`` lists.
  public static var asperaDefault: CredentialChain<AsperaNodeAccess> { AsperaCredentials().chain }
}

/// A credential provider for a Node API that reads environment variables on every request.
///
/// One of three sets of variables must be set: `ASPERA_NODE_USER` and `ASPERA_NODE_PASSWORD` for a node user,
/// `ASPERA_ACCESS_KEY_ID` and `ASPERA_ACCESS_KEY_SECRET` for an access key, or `ASPERA_ACCESS_KEY_ID` and
/// `ASPERA_NODE_TOKEN` for a bearer token. IBM defines no such variables; the names are this package's.
///
/// If none of the variables is set, the provider is not configured, and a chain skips it. An incomplete set of
/// variables is an error, and so are variables from more than one set.
public struct AsperaEnvironmentProvider: CredentialProvider, Redacted {
  private static let names = NodeAccessSettings(
    user: "ASPERA_NODE_USER", password: "ASPERA_NODE_PASSWORD", accessKey: "ASPERA_ACCESS_KEY_ID",
    secret: "ASPERA_ACCESS_KEY_SECRET", token: "ASPERA_NODE_TOKEN")

  /// The provider name that errors and events show.
  public var source: String { "environment (Aspera)" }

  /// Creates a provider that reads environment variables.
  public init() {}

  /// Reads the credential from the environment variables.
  ///
  /// An empty variable counts as not set. White space around a value is removed.
  ///
  /// - Parameter context: The context whose environment variables are read.
  /// - Returns: The credential.
  /// - Throws: A `CredentialError` that contains the variable names: `notConfigured` if no variable is set, `failed` if
  ///   a set is incomplete, if variables from more than one set are present, or if a value cannot be used.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let names = Self.names
    let remedy =
      "Set \(names.user) and \(names.password), or \(names.accessKey) and either \(names.secret) or "
      + "\(names.token), and unset the others."
    let location = SettingLocation(source: source, name: "The environment", remedy: remedy)
    var values: [String: String] = [:]
    for name in names.all { values[name] = context.variable(name) }
    guard let access = try names.access(values, at: location, now: context.time.now) else {
      throw location.error(.notConfigured, "sets none of \(names.all.joined(separator: ", "))")
    }
    return IssuedCredential(access)
  }

  /// A description that contains the provider name.
  public var description: String { "AsperaEnvironmentProvider(\(source))" }
}

extension CredentialProvider where Self == ProfileCredentialProvider<AsperaNodeAccess> {
  /// Returns a provider of access to a Node API that reads a profile in `~/.aspera/storage-auth.json`.
  ///
  /// The format is specific to this package, because IBM's tools document no file for this purpose:
  ///
  /// ```json
  /// {
  ///   "default": { "user": "mia", "password": "…" },
  ///   "archive": { "access_key_id": "…", "access_key_secret": "…" },
  ///   "guest": { "access_key_id": "…", "token": "…" }
  /// }
  /// ```
  ///
  /// A profile with an incomplete set of members, or with members from more than one set, is an error.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the value of `ASPERA_PROFILE`, or else `default`.
  ///   - path: The path of the file. If `nil`, the value of `ASPERA_CREDENTIALS_FILE`, or else the default path.
  public static func asperaProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    let file = ConfigurationFile(
      source: "Aspera profile", variable: "ASPERA_CREDENTIALS_FILE", paths: ["~/.aspera/storage-auth.json"],
      remedy: #"Write it as {"default": {"user": "…", "password": "…"}}, and run chmod 600 on it."#)
    return Self(source: file.source) { (context) throws(CredentialError) in
      let name = profile ?? context.variable("ASPERA_PROFILE")
      do throws(CredentialError) {
        let contents = try file.read(in: context, named: path)
        return IssuedCredential(try asperaAccess(ofProfile: name ?? "default", in: contents, at: context.time.now))
      } catch {
        // A chain skips an unconfigured provider, but not one whose profile was named.
        guard name != nil, error.code == .notConfigured else { throw error }
        throw CredentialError(
          .failed, source: file.source, "\(error.message) A profile was named.",
          remedy: "Correct the name, or leave it out: \(error.remedy)")
      }
    }
  }

  private static func asperaAccess(
    ofProfile profileName: String, in contents: ConfigurationFile.Contents, at now: Timestamp
  ) throws(CredentialError) -> AsperaNodeAccess {
    let names = NodeAccessSettings(
      user: "user", password: "password", accessKey: "access_key_id", secret: "access_key_secret", token: "token")
    let document: JSONValue
    do {
      document = try JSONValue(parsing: contents.bytes)
    } catch { throw contents.location.malformed("is not JSON: \(error)") }
    guard let profiles = document.object else { throw contents.location.malformed("is not a JSON object") }
    let location = contents.part("profile “\(profileName)”")
    guard let profile = profiles[profileName], profile != .null else {
      throw location.error(.notConfigured, "is not there")
    }
    guard let members = profile.object else { throw location.malformed("is not a JSON object") }
    var values: [String: String] = [:]
    for memberName in names.all {
      switch members[memberName] {
      case nil, .null?: break
      case .string(let text)?: values[memberName] = text.isEmpty ? nil : text
      default: throw location.malformed("has no string in “\(memberName)”")
      }
    }
    guard let access = try names.access(values, at: location, now: now) else {
      throw location.error(.notConfigured, "has no credential")
    }
    return access
  }
}

/// The names of settings, of which one set is required: user and password, or access key and either secret or token.
private struct NodeAccessSettings {
  let user: String
  let password: String
  let accessKey: String
  let secret: String
  let token: String

  var all: [String] { [user, password, accessKey, secret, token] }

  /// Returns the credential that the values specify, or `nil` if no value is present.
  ///
  /// - Throws: A `CredentialError` with the code `failed` if a set of settings is incomplete, if settings from more
  ///   than one set are present, or if the credential is invalid or has expired: a chain must then not continue with
  ///   another provider, which would silently use another identity.
  func access(
    _ values: [String: String], at location: SettingLocation, now: Timestamp
  ) throws(CredentialError) -> AsperaNodeAccess? {
    let presentNames = all.filter { values[$0] != nil }
    if presentNames.isEmpty { return nil }
    let sets: [(identity: String, secret: String)] = [(user, password), (accessKey, secret), (accessKey, token)]
    let completeSets = sets.filter { values[$0.identity] != nil && values[$0.secret] != nil }
    guard let set = completeSets.first, let identity = values[set.identity], let secretText = values[set.secret],
      presentNames.count == 2
    else {
      let startedSets = sets.filter { set in presentNames.allSatisfy([set.identity, set.secret].contains) }
      let missingNames = startedSets.flatMap { [$0.identity, $0.secret] }.filter { !presentNames.contains($0) }
      throw location.error(
        .failed,
        completeSets.isEmpty && !startedSets.isEmpty
          ? "has \(presentNames.joined(separator: " and ")) but no \(missingNames.joined(separator: " or "))"
          : "has \(presentNames.joined(separator: ", ")), which do not belong together")
    }
    let access: AsperaNodeAccess =
      switch set.secret {
      case password: .basic(user: identity, password: secretText)
      case secret: .accessKey(id: identity, secret: secretText)
      default: .bearer(secretText, accessKey: identity)
      }
    do { _ = try AsperaNodeSigner.headers(of: access) } catch {
      throw location.error(
        .failed, "has a credential that cannot be used (\(error.message.dropLast()))", remedy: error.remedy)
    }
    guard let expiration = access.expiration, expiration <= now else { return access }
    throw location.error(.failed, "has a bearer token that expired at \(expiration)", remedy: "Store a new one there.")
  }
}
