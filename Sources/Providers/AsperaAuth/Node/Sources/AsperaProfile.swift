// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AsperaNodeAccess> {
  /// Returns a provider of access to a Node API that reads a profile in `~/.aspera/storage-auth.json`.
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
  /// `ASPERA_CREDENTIALS_FILE` specifies the path of another file. A profile with an incomplete set of members, or with
  /// members from more than one set, is an error.
  ///
  /// - Parameters:
  ///   - profile: The profile name. If `nil`, the value of `ASPERA_PROFILE`, or else `default`.
  ///   - path: The path of the file. If `nil`, the value of `ASPERA_CREDENTIALS_FILE`, or else the default path.
  public static func asperaProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    let file = ConfigurationFile(
      source: "Aspera profile", variable: "ASPERA_CREDENTIALS_FILE", paths: ["~/.aspera/storage-auth.json"],
      remedy: #"Write it as {"default": {"user": "…", "password": "…"}}, and run chmod 600 on it."#)
    return Self(source: file.source) { (context) throws(CredentialError) in
      let named = profile ?? context.variable("ASPERA_PROFILE")
      do throws(CredentialError) {
        let contents = try file.read(in: context, named: path)
        return IssuedCredential(try asperaAccess(named ?? "default", in: contents, at: context.time.now))
      } catch {
        guard named != nil, error.code == .notConfigured else { throw error }
        throw CredentialError(
          .failed, source: file.source, "\(error.message) A profile was named.",
          remedy: "Correct the name, or leave it out: \(error.remedy)")
      }
    }
  }

  private static func asperaAccess(
    _ name: String, in contents: ConfigurationFile.Contents, at now: Timestamp
  ) throws(CredentialError) -> AsperaNodeAccess {
    let names = NodeAccessSettings.Names(
      user: "user", password: "password", accessKey: "access_key_id", secret: "access_key_secret", token: "token")
    let document: JSONValue
    do {
      document = try JSONValue(parsing: contents.bytes)
    } catch {
      throw contents.location.malformed("is not JSON: \(error)")
    }
    guard let profiles = document.object else { throw contents.location.malformed("is not a JSON object") }
    let location = contents.part("profile “\(name)”")
    guard let members = profiles[name], members != .null else { throw location.error(.notConfigured, "is not there") }
    guard let members = members.object else { throw location.malformed("is not a JSON object") }
    var values: [String: String] = [:]
    for name in names.all {
      switch members[name] {
      case nil, .null?: break
      case .string(let text)?: values[name] = text.isEmpty ? nil : text
      default: throw location.malformed("has no string in “\(name)”")
      }
    }
    let settings = NodeAccessSettings(names: names, values: values, location: location)
    guard let access = try settings.access(at: now) else {
      throw location.error(.notConfigured, "has no credential")
    }
    return access
  }
}
