// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import CredentialSources
public import StorageAuth

extension CredentialProvider where Self == ProfileCredentialProvider<AccessKey> {
  /// Returns a provider of access keys from a profile of the file that Tencent Cloud's SDKs share.
  ///
  /// - Parameters:
  ///   - profile: The section name, or `nil` for `default`.
  ///   - path: The file's path. If `nil`, the path that `TENCENTCLOUD_CREDENTIALS_FILE` specifies,
  ///     `~/.tencentcloud/credentials` or, if there is none, `/etc/tencentcloud/credentials`.
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

  /// Returns a provider of access keys from `~/.tccli/<profile>.credential` of Tencent Cloud's command-line tool.
  ///
  /// For the types `oauth` and `sso`, only the temporary key that a login in a browser has stored is used. The type
  /// `cvm-role` requests a key for the instance's role. With a `role-arn`, the key of the profile assumes that role.
  ///
  /// - Parameter profile: The profile name. If `nil`, the profile that `TCCLI_PROFILE` specifies, or `default`.
  public static func tccliProfile(_ profile: String? = nil) -> Self { tccliProfile(profile, services: .real) }

  static func tccliProfile(_ profile: String? = nil, services: TencentServices) -> Self {
    let source = "Tencent Cloud CLI"
    return Self(source: source) { (context) throws(CredentialError) in
      let chosenName = profile ?? context.variable("TCCLI_PROFILE")
      let name = chosenName ?? "default"
      // The name becomes part of a path, and must not lead out of the folder.
      guard !name.hasByte("/"), name != "..", name != "." else {
        throw CredentialError(
          .failed, source: source, "“\(name)” is not the name of a profile.", remedy: "Name one that tccli created.")
      }
      let path = "~/.tccli/\(name).credential"
      let file = ConfigurationFile(source: source, paths: [path], remedy: "Run tccli configure --profile \(name).")
      let contents = try file.read(in: context, named: chosenName == nil ? nil : path)
      let settings = try SettingTable(json: contents.bytes, at: contents.location)
      // The order is that of tccli: the instance's role precedes a key and its role.
      if try settings.text("type") == "cvm-role" {
        return try await services.instanceRole(nil).issue(for: settings.location, in: context)
      }
      let key = try tccliKey(in: settings, profile: name, at: context.time.now)
      guard let role = try settings.text("role-arn"), let session = try settings.text("role-session-name") else {
        return IssuedCredential(key)
      }
      let keys = StaticCredentialProvider(key, source: source)
      return try await services.role(role, session, keys).issue(for: settings.location, in: context)
    }
  }

  private static func tccliKey(
    in settings: SettingTable, profile name: String, at now: Timestamp
  ) throws(CredentialError) -> AccessKey {
    let keyNames = SettingTable.KeyNames(id: "secretId", secret: "secretKey", token: "token", expiration: "expiresAt")
    guard let key = try settings.key(keyNames) else { throw settings.location.error(.notConfigured, "has no key") }
    let type = try settings.text("type") ?? "secret"
    switch type {
    // tccli writes `default` when the use of the instance's role is switched off.
    case "secret", "default": return key
    case "oauth", "sso":
      if key.expiration != nil, !key.expires(within: .zero, at: now) { return key }
      let keyState = key.expiration == nil ? "has no “expiresAt”" : "expired at \(key.expirationText)"
      throw settings.location.error(
        .notConfigured, "has the type \(type), which needs a login in a browser, and its key \(keyState)",
        remedy: "Run tccli \(type == "sso" ? "sso" : "auth") login --profile \(name).")
    default: throw settings.location.malformed("has the type \(type.shownIfName), which is unknown")
    }
  }

  /// Returns a provider of access keys from the section `[common]` in the configuration of coscmd.
  ///
  /// With `anonymous = true` in the section, the key is the anonymous key.
  ///
  /// - Parameter path: The file's path, or `nil` for `~/.cos.conf`.
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

  /// Returns a provider of access keys from `cos.base` in the configuration of coscli.
  ///
  /// Unless `disableencryption` is `"true"`, coscli obfuscates the keys with a constant that every copy of it contains.
  /// Only plain keys are read; others are reported as `notConfigured`. The mode `CvmRole` requests a key.
  ///
  /// - Parameter path: The file's path, or `nil` for `~/.cos.yaml`.
  public static func coscliProfile(path: String? = nil) -> Self { coscliProfile(path: path, services: .real) }

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
/// Keys are converted to lowercase because coscli ignores their case. Values may be in quotation marks. Other values,
/// such as lists or strings over several lines, are rejected.
struct YAMLMapping {
  private(set) var values: [String: String] = [:]

  /// The characters at the start of a value that YAML does not read as a plain string.
  private static let structuralCharacters = Set("{[&*!|>%@`?-")

  /// Parses the mapping at a path of lowercase keys, or returns `nil` if the file has no such mapping.
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
      let earlierValue = values.updateValue(scalar, forKey: key)
      guard earlierValue == nil else { throw location.malformed("has the key of line \(index + 1) twice") }
    }
    if !isFound { return nil }
  }

  /// Returns the key and the value in a line, or `nil` for a line of a list or without a colon before whitespace.
  private static func pair(_ line: String) -> (key: String, value: String)? {
    guard let colon = line.firstIndex(of: ":"), let key = line[..<colon].trimmed else { return nil }
    let value = line[line.utf8.index(after: colon)...]
    guard value.first.map(\.isWhitespace) ?? true, !key.hasPrefix("- ") else { return nil }
    return (key.lowercased(), value.trimmed ?? "")
  }

  /// Returns the string in a value, with or without quotation marks, or `nil` if the value is not a plain string.
  private static func scalar(_ value: String) -> String? {
    if let quote = value.first, quote == "\"" || quote == "'" {
      let body = value.dropFirst()
      guard let end = body.firstIndex(of: quote), !body[..<end].contains("\\") else { return nil }
      let remainder = body[body.utf8.index(after: end)...].trimmed
      return remainder?.hasPrefix("#") ?? true ? String(body[..<end]) : nil
    }
    guard let first = value.first, !structuralCharacters.contains(first) else { return nil }
    return value.firstRange(of: " #").map { value[..<$0.lowerBound].trimmed ?? "" } ?? value
  }
}
