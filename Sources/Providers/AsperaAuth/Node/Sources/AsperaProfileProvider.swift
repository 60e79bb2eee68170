// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A credential provider for a Node API that reads a profile in `~/.aspera/storage-auth.json`.
///
/// IBM's tools document no file for this purpose. The format is specific to this package:
///
/// ```json
/// {
///   "default": { "user": "mia", "password": "…" },
///   "archive": { "access_key_id": "…", "access_key_secret": "…" },
///   "guest": { "access_key_id": "…", "token": "…" }
/// }
/// ```
///
/// The profile is specified by the initializer or by `ASPERA_PROFILE`, and otherwise is `default`.
/// `ASPERA_CREDENTIALS_FILE` specifies the path of another file. A profile with an incomplete set of members, or with
/// members from more than one set, is an error.
public struct AsperaProfileProvider: CredentialProvider {
  private static let file = ConfigurationFile(
    source: "Aspera profile", variable: "ASPERA_CREDENTIALS_FILE", paths: ["~/.aspera/storage-auth.json"],
    remedy: #"Write it as {"default": {"user": "…", "password": "…"}}, and run chmod 600 on it."#)

  private static let names = NodeAccessSettings.Names(
    user: "user", password: "password", accessKey: "access_key_id", secret: "access_key_secret", token: "token")

  private static let variable = "ASPERA_PROFILE"

  private let profile: String?
  private let path: String?

  /// The provider name that errors and events show.
  public var source: String { Self.file.source }

  /// Creates a provider that reads a profile.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the value of `ASPERA_PROFILE`, or else `default`.
  ///   - path: The path of the file. If `nil`, the value of `ASPERA_CREDENTIALS_FILE`, or else the default path.
  public init(profile: String? = nil, path: String? = nil) {
    self.profile = profile
    self.path = path
  }

  /// Reads the credential from the profile, and reports a warning if other users can read or replace the file.
  ///
  /// - Parameter context: The context whose files and environment variables are read.
  /// - Returns: The credential.
  /// - Throws: A `CredentialError`: `notConfigured` if no profile was specified, and the file or the credential in its
  ///   profile `default` is missing; `failed` or `malformedAnswer` if the specified profile is missing, or if the file
  ///   or the profile is invalid.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AsperaNodeAccess> {
    let named = profile ?? context.variable(Self.variable)
    do {
      return IssuedCredential(try access(named ?? "default", isNamed: named != nil, in: context))
    } catch {
      guard named != nil, error.code == .notConfigured else { throw error }
      throw CredentialError(
        .failed, source: source, "\(error.message) A profile was named.",
        remedy: "Correct the name, or leave it out: \(error.remedy)")
    }
  }

  private func access(
    _ name: String, isNamed: Bool, in context: ProviderContext
  ) throws(CredentialError) -> AsperaNodeAccess {
    let contents = try Self.file.read(in: context, named: path)
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
      default: throw place.malformed("has no string in “\(name)”")
      }
    }
    let settings = NodeAccessSettings(names: Self.names, values: values, place: place)
    guard let access = try settings.access(at: context.time.now) else {
      throw place.error(.notConfigured, "has no credential")
    }
    return access
  }
}

extension AsperaProfileProvider: Redacted {
  /// A description that contains the provider name.
  public var description: String { "AsperaProfileProvider(\(source))" }
}
