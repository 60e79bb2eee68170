// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider that reads an access key from a profile of Tencent Cloud's command-line tool.
///
/// The profile is the `profile` parameter, the profile that `TCCLI_PROFILE` specifies, or `default`, in this order. Its
/// file, `~/.tccli/<profile>.credential`, is read for each credential. The types `oauth` and `sso` require a login in a
/// browser, so only the temporary key that such a login has stored is used, until the key expires.
public struct TCCLIProfileProvider: CredentialProvider {
  private static let key = SettingTable.KeyNames(
    id: "secretId", secret: "secretKey", token: "token", expiration: "expiresAt")

  private let profile: String?

  /// The provider's name, for error messages.
  public let source = "Tencent Cloud CLI"

  /// Creates a provider for a profile of Tencent Cloud's command-line tool.
  ///
  /// - Parameter profile: The profile name. If `nil`, the profile that the environment specifies, or `default`.
  public init(profile: String? = nil) {
    self.profile = profile
  }

  /// Returns the access key in the profile.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `notConfigured` if no profile is specified and the default profile does not exist,
  ///   or if the profile has no key or requires a login in a browser; `failed` if a profile that is specified does not
  ///   exist; `malformedAnswer` if the profile's file is invalid.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let named = profile ?? context.variable("TCCLI_PROFILE")
    let name = named ?? "default"
    guard !name.hasByte("/"), name != "..", name != "." else {
      throw CredentialError(
        .failed, source: source, "“\(name)” is not the name of a profile.", remedy: "Name one that tccli created.")
    }
    let path = "~/.tccli/\(name).credential"
    let file = ConfigurationFile(source: source, paths: [path], remedy: "Run tccli configure --profile \(name).")
    let contents = try file.read(in: context, named: named == nil ? nil : path)
    let settings = try SettingTable(json: contents.bytes, at: contents.place)
    guard let key = try settings.key(Self.key) else { throw contents.place.error(.notConfigured, "has no key") }
    let type = try settings.text("type") ?? "secret"
    switch type {
    case "secret": return IssuedCredential(key)
    case "oauth", "sso":
      if key.expiration != nil, !key.expires(within: .zero, at: context.time.now) { return IssuedCredential(key) }
      throw contents.place.error(
        .notConfigured, "has the type \(type), which needs a login in a browser, and its key expired at \(key.ending)",
        remedy: "Run tccli \(type == "sso" ? "sso" : "auth") login --profile \(name).")
    default:
      throw contents.place.malformed("has the type \(type.shownIfName), which is unknown")
    }
  }
}
