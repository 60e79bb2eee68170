// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageClient

struct CredentialsCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "credentials",
    abstract: "Shows which source has a key, and which ones declined and why.",
    usage: "storage-auth credentials --provider <provider> [<options>]",
    discussion: """
      Examples:
        storage-auth credentials --provider oss
        storage-auth credentials --provider s3 --source profile --no-metadata

      The sources are tried in the order of a client, up to the first that has a key. Secrets and session \
      tokens are masked. Exits with status 0 if there is a valid key, and with 1 otherwise.

      \(CloudName.known.map { "Sources of \($0): \(joined($0.cloud.sources))." }.joined(separator: "\n"))
      """)

  @Option(help: "\(CloudName.alternatives).")
  var provider: CloudName

  @Option(help: "Use only this source.")
  var source: SourceName?

  @OptionGroup(title: "Keys and network") var options: CredentialOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  private static func joined(_ sources: [SourceName]) -> String {
    sources.map(\.description).joined(separator: ", ")
  }

  func validate() throws {
    if let source, !provider.cloud.sources.contains(source) {
      throw ValidationError(
        "\(source) is not a source of \(provider); those are \(Self.joined(provider.cloud.sources)).")
    }
  }

  func run() async throws {
    let finding = try await CredentialFinding(
      over: options.network, searching: options.chain(for: provider.cloud, only: source))
    if output.json { Terminal.json(finding.json(provider)) } else { Terminal.lines(finding.text) }
    guard case .success(let found) = finding.result, found.remainingLifetime.map({ $0 > .zero }) ?? true else {
      throw ExitCode.failure
    }
  }
}

/// The result of searching a chain of credential sources for a key.
///
/// It consists of the key or the error, the sources that declined, and the warnings.
struct CredentialFinding {
  let chain: String

  /// The key with its source, or the error that ended the search.
  let result: Result<FoundKey, CredentialError>

  /// The errors with which the sources before the final one declined.
  let declined: [CredentialError]

  /// The warnings about files and settings that the user should correct.
  let warnings: [CredentialWarning]

  /// A key that was found, with its source and its remaining lifetime.
  struct FoundKey {
    let source: String
    let key: AccessKey

    /// The key's remaining lifetime according to the issuer's clock, or `nil` for a permanent key.
    ///
    /// If the issuer's time is unknown, this machine's clock is used.
    let remainingLifetime: Duration?
  }

  /// Asks the sources of a chain in order until one has a key or fails.
  init(over network: NetworkOptions, searching chain: CredentialChain<AccessKey>) async throws {
    let log = SearchLog()
    let context = try ProviderContext.commandLine(network) { log.add($0) }
    let loggedChain = CredentialChain(chain.links.map { LoggedSource(base: $0, log: log) }, source: chain.source)
    do throws(CredentialError) {
      let issued = try await loggedChain.issue(in: context)
      let now = issued.issuerTime ?? .now
      result = .success(
        FoundKey(
          source: issued.source ?? chain.source, key: issued.credential,
          remainingLifetime: issued.credential.expiration.map { now.duration(to: $0) }))
    } catch {
      result = .failure(error)
    }
    self.chain = chain.source
    (declined, warnings) = log.contents
  }
}

/// A credential provider that records the error with which its base provider declines.
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

/// A log of the errors and warnings that occur while a chain is searched.
private final class SearchLog: Sendable {
  private let findings = Lock((declined: [CredentialError](), warnings: [CredentialWarning]()))

  var contents: (declined: [CredentialError], warnings: [CredentialWarning]) { findings.withLock { $0 } }

  func add(_ error: CredentialError) {
    findings.withLock { $0.declined.append(error) }
  }

  func add(_ warning: CredentialWarning) {
    findings.withLock { if !$0.warnings.contains(warning) { $0.warnings.append(warning) } }
  }
}

extension CredentialFinding {
  /// The result of the search as text: one line for each source, the key with its secrets masked, and the warnings.
  var text: String {
    var lines = declined.map { "declined  \($0.source): \($0.message) \($0.remedy)" }
    switch result {
    case .success(let found):
      lines.append("answered  \(found.source)")
      lines += [
        "", "id             \(found.key.id)", "secret         \(Secret.mask)",
        "session token  \(found.key.sessionToken == nil ? "none" : Secret.mask)",
        "valid          \(found.lifetimeText)",
      ]
    case .failure(let error):
      let verb = error.code == .notConfigured ? "no key   " : "failed   "
      lines.append("\(verb) \(error.source): \(error.message) \(error.remedy)")
    }
    lines += warnings.map { "warning   \($0)" }
    return lines.joined(separator: "\n")
  }

  /// Returns the result of the search as a JSON object, with no member for a secret.
  func json(_ provider: CloudName) -> JSONValue {
    func problem(_ error: CredentialError) -> JSONValue { .object(ErrorReport.members(error)) }
    var report: JSONObject = [
      "provider": .string(provider.description), "sources": .string(chain),
      "declined": .array(declined.map(problem)),
      "warnings": .array(
        warnings.map {
          ["source": .string($0.source), "message": .string($0.message), "remedy": .string($0.remedy)]
        }),
    ]
    switch result {
    case .success(let found):
      var key: JSONObject = ["id": .string(found.key.id.string)]
      key["isTemporary"] = .bool(found.key.sessionToken != nil)
      key["expiration"] = found.key.expiration.map { .string($0.iso8601) }
      key["secondsLeft"] = found.remainingLifetime.map { .number(JSONNumber($0.components.seconds)) }
      report["source"] = .string(found.source)
      report["credential"] = .object(key)
    case .failure(let error): report["error"] = problem(error)
    }
    return .object(report)
  }
}

extension CredentialFinding.FoundKey {
  /// The remaining lifetime of the key as a phrase for the user.
  fileprivate var lifetimeText: String {
    guard let remainingLifetime, let end = key.expiration else {
      return key.sessionToken == nil ? "indefinitely" : "until a time that the source does not tell"
    }
    let seconds = remainingLifetime.components.seconds
    if seconds <= 0 { return "no longer: it expired at \(end)" }
    let parts: [(count: Int64, unit: String)] = [
      (seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    let text = parts.filter { $0.count > 0 }.map { "\($0.count) \($0.unit)" }.joined(separator: " ")
    return "for \(text), until \(end)"
  }
}
