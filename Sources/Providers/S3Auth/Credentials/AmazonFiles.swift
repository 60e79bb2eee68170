// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// The parsed files that Amazon's tools share: `~/.aws/credentials` and `~/.aws/config`.
///
/// Page: "Shared config and credentials files" in the AWS SDKs and Tools Reference Guide.
struct AmazonFiles {
  static let source = "Amazon profile"

  private static let credentialsFile = ConfigurationFile(
    source: source, variable: "AWS_SHARED_CREDENTIALS_FILE", paths: ["~/.aws/credentials"],
    remedy: "Run aws configure.")
  private static let configFile = ConfigurationFile(
    source: source, variable: "AWS_CONFIG_FILE", paths: ["~/.aws/config"], remedy: "Run aws configure.")

  /// Section names are case-sensitive, and quotation marks and repeated whitespace in them are ignored.
  private static let dialect = INIDocument.Dialect(
    section: { name in name.filter { $0 != "\"" }.split(whereSeparator: \.isWhitespace).joined(separator: " ") },
    removesQuotes: false, hasNestedSettings: true)

  private struct File {
    let contents: ConfigurationFile.Contents
    let document: INIDocument
  }

  private let credentials: File?
  private let config: File?

  /// Reads the two files; one may be missing unless an environment variable specifies it.
  init(in context: ProviderContext) throws(CredentialError) {
    credentials = try Self.read(Self.credentialsFile, in: context)
    config = try Self.read(Self.configFile, in: context)
  }

  private static func read(_ file: ConfigurationFile, in context: ProviderContext) throws(CredentialError) -> File? {
    // `/dev/null` is the usual way to disable a file, whatever the home directory contains.
    if let variable = file.variable, context.variable(variable) == "/dev/null" { return nil }
    let contents: ConfigurationFile.Contents
    do throws(CredentialError) {
      contents = try file.read(in: context)
    } catch {
      guard error.code == .notConfigured else { throw error }
      return nil
    }
    return File(contents: contents, document: try INIDocument(contents.bytes, at: contents.location, dialect: dialect))
  }

  /// Returns the profile name that the environment specifies; botocore reads `AWS_DEFAULT_PROFILE` first.
  static func chosenName(in context: ProviderContext) -> String? {
    context.variable("AWS_DEFAULT_PROFILE") ?? context.variable("AWS_PROFILE")
  }

  /// Returns a profile; in `~/.aws/config`, `profile` precedes every name except that of the default profile.
  func profile(_ name: String) throws(CredentialError) -> AmazonProfile? {
    var configSection = try section("profile \(name)", of: config)
    if configSection == nil, name == "default" { configSection = try section(name, of: config) }
    let sections = [try section(name, of: credentials), configSection].compactMap(\.self)
    return sections.isEmpty ? nil : AmazonProfile(name: name, sections: sections)
  }

  /// Returns the section of `~/.aws/config` with the given name that contains the endpoints of services.
  func services(_ name: String) throws(CredentialError) -> SettingTable? {
    try section("services \(name)", of: config)?.settings
  }

  private func section(_ name: String, of file: File?) throws(CredentialError) -> AmazonProfile.Section? {
    guard let file else { return nil }
    let location = file.contents.part("section [\(name)]")
    guard let settings = try file.document.section(name, at: location) else { return nil }
    return AmazonProfile.Section(settings: settings, file: file.contents)
  }

  /// Returns the error for an unknown profile, with the code `failed` if the caller or the environment names it.
  func unknownProfile(_ name: String, isNamed: Bool) -> CredentialError {
    let files = [credentials, config].compactMap { $0?.contents.path }
    let sectionNames = (credentials?.document.names ?? []) + (config?.document.names ?? [])
    let message =
      files.isEmpty
      ? "There is no profile “\(name)”: there is no file ~/.aws/credentials or ~/.aws/config."
      : "There is no profile “\(name)” in \(files.joined(separator: " or ")); the sections there: "
        + (sectionNames.isEmpty ? "none." : sectionNames.map { "[\($0)]" }.joined(separator: ", ") + ".")
    return CredentialError(
      isNamed ? .failed : .notConfigured, source: Self.source, message,
      remedy: "Run aws configure --profile \(name), or name another profile.")
  }
}
