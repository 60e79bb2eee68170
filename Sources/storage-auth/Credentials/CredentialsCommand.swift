internal import ArgumentParser
internal import StorageAuth

/// `storage-auth credentials`: says where keys come from.
struct CredentialsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credentials",
    abstract: "Says which source has a key, which declined and why, and how long the key lives.",
    discussion: """
      The sources are asked in the order in which a client asks them, up to the first that answers. Secrets and session \
      tokens are masked. Ends with status 0 if there is a key that lives, else with 1.

      Sources of oss: \(SourceName.all(of: .oss).map(\.rawValue).joined(separator: ", ")).
      Sources of cos: \(SourceName.all(of: .cos).map(\.rawValue).joined(separator: ", ")).
      """)

  @Option(help: "oss or cos.")
  var provider: ProviderName

  @Option(help: "Ask this source alone.")
  var source: SourceName?

  @Flag(help: "Answer with a line of JSON.")
  var json = false

  @OptionGroup var options: CredentialOptions

  func validate() throws {
    if let source, !SourceName.all(of: provider).contains(source) {
      let names = SourceName.all(of: provider).map(\.rawValue).joined(separator: ", ")
      throw ValidationError("\(source.rawValue) is not a source of \(provider.rawValue); those are \(names).")
    }
  }

  func run() async throws {
    let finding = await CredentialFinding { options.chain(for: provider, on: $0, only: source) }
    if json { Terminal.json(try finding.json(provider)) } else { Terminal.lines(finding.text) }
    guard case .success(let answer) = finding.result, answer.life.map({ $0 > .zero }) ?? true else {
      throw ExitCode.failure
    }
  }
}
