// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AccessKey> {
  /// Returns a provider that reads an access key from a profile of the file that Tencent Cloud's SDKs share.
  ///
  /// The file is `~/.tencentcloud/credentials` or, if that file does not exist, `/etc/tencentcloud/credentials`.
  /// `TENCENTCLOUD_CREDENTIALS_FILE` specifies another path.
  ///
  /// - Parameters:
  ///   - profile: The section name, or `nil` for `default`.
  ///   - path: The file's path. If `nil`, the path that the environment specifies, or the default paths.
  public static func tencentProfile(_ profile: String? = nil, path: String? = nil) -> Self {
    let file = ConfigurationFile(
      source: "Tencent Cloud profile", variable: "TENCENTCLOUD_CREDENTIALS_FILE",
      paths: ["~/.tencentcloud/credentials", "/etc/tencentcloud/credentials"],
      remedy: "Give it a section [default] with secret_id and secret_key.")
    return Self(file, path: path) { (contents, _) throws(CredentialError) in
      let settings = try contents.section(profile ?? "default", isMistake: profile != nil)
      return IssuedCredential(try settings.requiredKey(.init(id: "secret_id", secret: "secret_key", token: "token")))
    }
  }

  /// Returns a provider that reads an access key from a profile of Tencent Cloud's command-line tool.
  ///
  /// Its file is `~/.tccli/<profile>.credential`. The types `oauth` and `sso` require a login in a browser, so only the
  /// temporary key that such a login has stored is used, until the key expires.
  ///
  /// - Parameter profile: The profile name. If `nil`, the profile that `TCCLI_PROFILE` specifies, or `default`.
  public static func tccliProfile(_ profile: String? = nil) -> Self {
    Self(source: "Tencent Cloud CLI") { (context) throws(CredentialError) in
      IssuedCredential(try tccliKey(profile ?? context.variable("TCCLI_PROFILE"), in: context))
    }
  }

  private static func tccliKey(_ profile: String?, in context: ProviderContext) throws(CredentialError) -> AccessKey {
    let source = "Tencent Cloud CLI"
    let name = profile ?? "default"
    // The name becomes part of a path, which must not lead out of the folder.
    guard !name.hasByte("/"), name != "..", name != "." else {
      throw CredentialError(
        .failed, source: source, "“\(name)” is not the name of a profile.", remedy: "Name one that tccli created.")
    }
    let path = "~/.tccli/\(name).credential"
    let file = ConfigurationFile(source: source, paths: [path], remedy: "Run tccli configure --profile \(name).")
    let contents = try file.read(in: context, named: profile == nil ? nil : path)
    let settings = try SettingTable(json: contents.bytes, at: contents.location)
    let keyNames = SettingTable.KeyNames(id: "secretId", secret: "secretKey", token: "token", expiration: "expiresAt")
    guard let key = try settings.key(keyNames) else { throw contents.location.error(.notConfigured, "has no key") }
    let type = try settings.text("type") ?? "secret"
    switch type {
    case "secret": return key
    case "oauth", "sso":
      if key.expiration != nil, !key.expires(within: .zero, at: context.time.now) { return key }
      throw contents.location.error(
        .notConfigured,
        "has the type \(type), which needs a login in a browser, and its key expired at \(key.expirationText)",
        remedy: "Run tccli \(type == "sso" ? "sso" : "auth") login --profile \(name).")
    default:
      throw contents.location.malformed("has the type \(type.shownIfName), which is unknown")
    }
  }

  /// Returns a provider that reads an access key from the configuration of coscmd: the section `[common]` in
  /// `~/.cos.conf`.
  ///
  /// With `anonymous = true` in the section, the key is the anonymous key.
  ///
  /// - Parameter path: The file's path, or `nil` for the default path.
  public static func coscmdProfile(path: String? = nil) -> Self {
    let file = ConfigurationFile(
      source: "coscmd", paths: ["~/.cos.conf"], remedy: "Run coscmd config -a <secret_id> -s <secret_key>.")
    return Self(file, path: path) { (contents, _) throws(CredentialError) in
      let settings = try contents.section("common", isMistake: false)
      if try settings.flag("anonymous") { return IssuedCredential(.anonymous) }
      let id = settings.has("secret_id") ? "secret_id" : "access_id"
      return IssuedCredential(try settings.requiredKey(.init(id: id, secret: "secret_key", token: "token")))
    }
  }

  /// Returns a provider of access keys from the configuration of coscli: `cos.base` in `~/.cos.yaml`.
  ///
  /// coscli obfuscates the keys in this file with a constant that every copy of coscli contains, unless
  /// `disableencryption` is `"true"`. Only plain keys are read; obfuscated keys are detected and reported as
  /// `notConfigured`. In the mode `CvmRole`, the key is requested for the instance's role.
  ///
  /// - Parameter path: The file's path, or `nil` for the default path.
  public static func coscliProfile(path: String? = nil) -> Self {
    coscliProfile(path: path, services: .real)
  }

  static func coscliProfile(path: String? = nil, services: TencentServices) -> Self {
    let file = ConfigurationFile(source: "coscli", paths: ["~/.cos.yaml"], remedy: "Run coscli config init.")
    return Self(file, path: path) { (contents, context) throws(CredentialError) in
      let location = contents.part("mapping cos.base")
      guard let base = try YAMLMapping(contents.bytes, path: ["cos", "base"], at: contents.location) else {
        throw contents.location.error(.notConfigured, "has no mapping cos.base")
      }
      let settings = SettingTable(base.values, at: location)
      let mode = try settings.text("mode") ?? "SecretKey"
      switch mode.lowercased() {
      case "secretkey": return IssuedCredential(try coscliKey(settings))
      case "cvmrole":
        return try await services.instanceRole(try settings.text("cvmrolename")).issue(for: location, in: context)
      default: throw location.malformed("has the mode \(mode.shownIfName), which is unknown")
      }
    }
  }

  private static func coscliKey(_ settings: SettingTable) throws(CredentialError) -> AccessKey {
    guard settings.has("secretid") || settings.has("secretkey") else {
      throw settings.location.error(.notConfigured, "has no key")
    }
    guard try settings.flag("disableencryption") else {
      throw settings.location.error(
        .notConfigured, "has keys that coscli has obfuscated, which other programs cannot read",
        remedy: "Set disableencryption to \"true\" with the keys in plain, or name another source.")
    }
    return try settings.requiredKey(.init(id: "secretid", secret: "secretkey", token: "sessiontoken"))
  }
}

/// A mapping of keys to strings at a path in a YAML file, limited to the subset of YAML that coscli writes.
///
/// Keys are converted to lowercase because coscli ignores their case. Values may be in quotation marks. Any other kind
/// of value in the mapping, such as a list or a string over several lines, is rejected.
struct YAMLMapping {
  /// The nonempty values in the mapping, by their lowercase keys.
  private(set) var values: [String: String] = [:]

  /// The characters at the start of a value that YAML does not read as a plain string.
  private static let structuralCharacters: Set<Character> = [
    "{", "[", "&", "*", "!", "|", ">", "%", "@", "`", "?", "-",
  ]

  /// Parses the mapping at a path of lowercase keys, or returns `nil` if the file has no such mapping.
  ///
  /// It throws an error if the file is not UTF-8, or if the mapping has a repeated key or an unsupported value.
  init?(_ bytes: [UInt8], path: [String], at location: SettingLocation) throws(CredentialError) {
    guard let text = String(utf8: bytes) else { throw location.malformed("is not text in UTF-8") }
    var parents: [(indent: Int, key: String)] = []
    var isFound = false
    let content = text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    let lines = Substring(content).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      guard let trimmed = line.trimmed, !trimmed.hasPrefix("#"), trimmed != "---" else { continue }
      let indent = line.prefix { $0 == " " }.count
      parents.removeAll { $0.indent >= indent }
      let isInside = parents.map(\.key) == path
      guard let (key, value) = Self.pair(trimmed) else {
        if isInside { throw location.malformed("has content in line \(index + 1) that is not a key with a value") }
        continue
      }
      parents.append((indent, key))
      isFound = isFound || parents.map(\.key) == path
      guard isInside, !value.isEmpty else { continue }
      guard let scalar = Self.scalar(value) else {
        throw location.malformed("has a value in line \(index + 1) that is not a plain string")
      }
      if values.updateValue(scalar, forKey: key) != nil {
        throw location.malformed("has the key of line \(index + 1) twice")
      }
    }
    if !isFound { return nil }
  }

  /// Returns the lowercase key and the value in a line, or `nil` if the line is not a key-value pair.
  private static func pair(_ line: String) -> (key: String, value: String)? {
    guard let colon = line.firstIndex(of: ":"), let key = line[..<colon].trimmed else { return nil }
    let rest = line[line.utf8.index(after: colon)...]
    guard rest.first.map(\.isWhitespace) ?? true, !key.hasPrefix("- ") else { return nil }
    return (key.lowercased(), rest.trimmed ?? "")
  }

  /// Returns the string in a value, with or without quotation marks, or `nil` if the value is not a plain string.
  private static func scalar(_ value: String) -> String? {
    if let quote = value.first, quote == "\"" || quote == "'" {
      let body = value.dropFirst()
      guard let end = body.firstIndex(of: quote), !body[..<end].contains("\\") else { return nil }
      let rest = body[body.utf8.index(after: end)...].trimmed
      return rest == nil || rest?.hasPrefix("#") == true ? String(body[..<end]) : nil
    }
    guard let first = value.first, !structuralCharacters.contains(first) else { return nil }
    return value.firstRange(of: " #").map { value[..<$0.lowerBound].trimmed ?? "" } ?? value
  }
}
