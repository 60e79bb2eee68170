// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct CredentialsCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "credentials", abstract: "Shows which source has a key, and which ones declined and why.",
    usage: "storage-auth credentials --provider <provider> [<options>]",
    discussion: """
      Examples:
        storage-auth credentials --provider oss
        storage-auth credentials --provider s3 --source profile --no-metadata

      The sources are tried in the order of a client, up to the first that has a key. Secrets and session \
      tokens are masked. Exits with status 0 if there is a valid key, and with 1 otherwise.

      \(CloudName.known.map { "Sources of \($0): \($0.cloud.sources)." }.joined(separator: "\n"))
      """)

  @Option(help: "\(CloudName.alternatives).") var provider: CloudName
  @Option(help: "Use only this source.") var source: String?
  @OptionGroup(title: "Keys and network") var options: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    let sources = provider.cloud.sources
    if let source, !sources.names.contains(source) {
      throw ValidationError("\(source) is not a source of \(provider); those are \(sources).")
    }
    if source == "metadata", options.skipsMetadata {
      throw ValidationError("--no-metadata excludes the only source, metadata: omit one of them.")
    }
  }

  func run() async throws {
    let finding = try await CredentialFinding.search(
      options.chain(for: provider.cloud, only: source), over: options.network)
    if output.json { Terminal.printJSON(finding.json(provider)) } else { Terminal.printLines(finding.text) }
    guard case .success = finding.result, !finding.isExpired else { throw ExitCode.failure }
  }
}

/// The result of a search for a key, with what each source answered before.
struct CredentialFinding {
  let chain: String
  let result: Result<IssuedCredential<AccessKey>, CredentialError>
  /// The remaining lifetime of a temporary key by the issuer's clock, or by this machine's if that is unknown.
  let remainingLifetime: Duration?
  /// The errors of the sources that declined, in the order in which they were asked.
  let declined: [CredentialError]
  let warnings: [CredentialWarning]

  var isExpired: Bool { remainingLifetime.map { $0 <= .zero } ?? false }

  /// Asks the sources of a chain in order until one has a key or fails.
  static func search(_ chain: CredentialChain<AccessKey>, over network: NetworkOptions) async throws -> Self {
    // A chain that finds a key does not report which sources declined.
    let log = SearchLog()
    let context = try ProviderContext.commandLine(network) { log.add($0) }
    let loggedChain = CredentialChain(chain.links.map { LoggedSource(base: $0, log: log) }, source: chain.source)
    let result: Result<IssuedCredential<AccessKey>, CredentialError>
    var remainingLifetime: Duration?
    do throws(CredentialError) {
      let issued = try await loggedChain.issue(in: context)
      let now = issued.issuerTime ?? .now
      (result, remainingLifetime) = (.success(issued), issued.credential.expiration.map { now.duration(to: $0) })
    } catch {
      result = .failure(error)
    }
    let (declined, warnings) = log.contents
    return CredentialFinding(
      chain: chain.source, result: result, remainingLifetime: remainingLifetime, declined: declined, warnings: warnings)
  }
}

private struct LoggedSource: CredentialProvider {
  let base: any CredentialProvider<AccessKey>
  let log: SearchLog

  var source: String { base.source }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    do throws(CredentialError) {
      return try await base.issue(in: context)
    } catch {
      if error.code == .notConfigured { log.add(error) }
      throw error
    }
  }
}

private final class SearchLog: Sendable {
  private let findings = Lock((declined: [CredentialError](), warnings: [CredentialWarning]()))

  var contents: (declined: [CredentialError], warnings: [CredentialWarning]) { findings.withLock { $0 } }
  func add(_ error: CredentialError) { findings.withLock { $0.declined.append(error) } }

  func add(_ warning: CredentialWarning) {
    findings.withLock { if !$0.warnings.contains(warning) { $0.warnings.append(warning) } }
  }
}

extension CredentialFinding {
  var text: String {
    var lines = declined.map { "declined  \($0.source): \($0.message) \($0.remedy)" }
    switch result {
    case .success(let issued):
      let key = issued.credential
      lines += [
        "answered  \(issued.source ?? chain)", "", "id             \(key.id)", "secret         \(Secret.mask)",
        "session token  \(key.sessionToken == nil ? "none" : Secret.mask)", "valid          \(lifetimeText(of: key))",
      ]
    case .failure(let error):
      let label = error.code == .notConfigured ? "no key   " : "failed   "
      lines.append("\(label) \(error.source): \(error.message) \(error.remedy)")
    }
    lines += warnings.map { "warning   \($0)" }
    return lines.joined(separator: "\n")
  }

  func json(_ provider: CloudName) -> JSONValue {
    func problem(_ error: CredentialError) -> JSONValue { .object(ErrorReport.members(error)) }
    var report: JSONObject = [
      "provider": .string(provider.description), "sources": .string(chain), "declined": .array(declined.map(problem)),
      "warnings": .array(
        warnings.map { ["source": .string($0.source), "message": .string($0.message), "remedy": .string($0.remedy)] }),
    ]
    switch result {
    case .success(let issued):
      let key = issued.credential
      var members: JSONObject = ["id": .string(key.id.string), "isTemporary": .bool(key.sessionToken != nil)]
      members["expiration"] = key.expiration.map { .string($0.iso8601) }
      members["secondsLeft"] = remainingLifetime.map { .integer($0.components.seconds) }
      report["source"] = .string(issued.source ?? chain)
      report["credential"] = .object(members)
    case .failure(let error): report["error"] = problem(error)
    }
    return .object(report)
  }

  private func lifetimeText(of key: AccessKey) -> String {
    guard let remainingLifetime, let end = key.expiration else {
      return key.sessionToken == nil ? "indefinitely" : "until a time that the source does not tell"
    }
    if isExpired { return "no longer: it expired at \(end)" }
    let seconds = remainingLifetime.components.seconds
    if seconds == 0 { return "for less than a second, until \(end)" }
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
    let text = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    return "for \(text), until \(end)"
  }
}
