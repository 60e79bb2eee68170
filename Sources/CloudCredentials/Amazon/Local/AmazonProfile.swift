internal import StorageAuth

/// The two files that Amazon's tools share: `~/.aws/credentials` and `~/.aws/config`.
///
/// Page: "Shared config and credentials files" of the SDK reference.
struct AmazonFiles {
  static let source = "Amazon profile"

  private static let credentials = ConfigurationFile(
    source: source, variable: "AWS_SHARED_CREDENTIALS_FILE", paths: ["~/.aws/credentials"],
    remedy: "Run aws configure.")
  private static let config = ConfigurationFile(
    source: source, variable: "AWS_CONFIG_FILE", paths: ["~/.aws/config"], remedy: "Run aws configure.")

  /// Names of sections are told apart by their bytes; blanks within them and quotation marks do not count.
  private static let dialect = INIDocument.Dialect(
    section: { name in
      name.filter { $0 != "\"" }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    },
    removesQuotes: false, hasNestedSettings: true)

  private struct File {
    let contents: ConfigurationFile.Contents
    let document: INIDocument
  }

  private let credentials: File?
  private let config: File?

  /// Reads the files that are there.
  ///
  /// - Throws: A `CredentialError` if a file that a variable names is not there, or one cannot be read.
  init(on machine: ProviderContext) throws(CredentialError) {
    credentials = try Self.read(Self.credentials, on: machine)
    config = try Self.read(Self.config, on: machine)
  }

  private static func read(
    _ file: ConfigurationFile, on machine: ProviderContext
  ) throws(CredentialError) -> File? {
    // The usual way to have no file, whatever the home directory holds.
    if let variable = file.variable, machine.variable(variable) == "/dev/null" { return nil }
    let contents: ConfigurationFile.Contents
    do throws(CredentialError) {
      contents = try file.read(on: machine)
    } catch {
      guard error.code == .notConfigured else { throw error }
      return nil
    }
    return File(contents: contents, document: try INIDocument(contents.bytes, at: contents.place, dialect: dialect))
  }

  /// The name of the profile that the environment chooses: `AWS_DEFAULT_PROFILE`, as botocore has it, or `AWS_PROFILE`.
  static func chosenName(on machine: ProviderContext) -> String? {
    machine.variable("AWS_DEFAULT_PROFILE") ?? machine.variable("AWS_PROFILE")
  }

  /// Returns a profile, or `nil` if neither file has it.
  ///
  /// - Throws: A `CredentialError` if a section of that name is not in order.
  func profile(_ name: String) throws(CredentialError) -> AmazonProfile? {
    var configured = try section("profile \(name)", of: config)
    if configured == nil, name == "default" { configured = try section(name, of: config) }
    let sections = [try section(name, of: credentials), configured].compactMap(\.self)
    return sections.isEmpty ? nil : AmazonProfile(name: name, sections: sections)
  }

  /// Returns the settings of a section `[services …]`, or `nil` if there is none.
  func services(_ name: String) throws(CredentialError) -> SettingTable? {
    try section("services \(name)", of: config)?.settings
  }

  private func section(_ name: String, of file: File?) throws(CredentialError) -> AmazonProfile.Section? {
    guard let file else { return nil }
    let place = file.contents.part("section [\(name)]")
    guard let settings = try file.document.section(name, at: place) else { return nil }
    return AmazonProfile.Section(settings: settings, file: file.contents)
  }

  /// The error for a profile that neither file has.
  ///
  /// - Parameters:
  ///   - name: The name of the profile.
  ///   - isNamed: Whether the program or the environment names it.
  func missing(_ name: String, isNamed: Bool) -> CredentialError {
    let files = [credentials, config].compactMap { $0?.contents.path }
    let known = (credentials?.document.names ?? []) + (config?.document.names ?? [])
    let message =
      files.isEmpty
      ? "There is no profile “\(name)”: there is no file ~/.aws/credentials or ~/.aws/config."
      : "There is no profile “\(name)” in \(files.joined(separator: " or ")); the sections there: "
        + (known.isEmpty ? "none." : known.map { "[\($0)]" }.joined(separator: ", ") + ".")
    return CredentialError(
      isNamed ? .failed : .notConfigured, source: Self.source, message,
      remedy: "Run aws configure --profile \(name), or name another profile.")
  }
}

/// A profile, as the two files have it together.
struct AmazonProfile {
  /// What one of the files says.
  struct Section {
    let settings: SettingTable
    let file: ConfigurationFile.Contents
  }

  let name: String

  /// The sections of the profile, that of `~/.aws/credentials` first.
  let sections: [Section]

  /// Where the profile stands: where most of it is written.
  var place: SettingLocation {
    SettingLocation(
      source: AmazonFiles.source,
      name: "The profile “\(name)” in \(sections.map(\.file.path).joined(separator: " and "))",
      remedy: "Run aws configure --profile \(name).")
  }

  /// A text, from the first of the files that has it.
  func text(_ name: String) throws(CredentialError) -> String? {
    try section(with: name)?.settings.text(name)
  }

  /// The first section that has something under a name.
  func section(with name: String) -> Section? {
    sections.first { $0.settings.has(name) }
  }

  /// The key that stands in the profile; its parts come from one file.
  func key() throws(CredentialError) -> AccessKey? {
    for section in sections {
      let names = SettingTable.KeyNames(
        id: "aws_access_key_id", secret: "aws_secret_access_key",
        token: section.settings.has("aws_session_token") ? "aws_session_token" : "aws_security_token")
      if let key = try section.settings.key(names) { return key }
    }
    return nil
  }
}
