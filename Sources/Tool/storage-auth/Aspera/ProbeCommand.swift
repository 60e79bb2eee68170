// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import StoragePrograms

struct ProbeCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Logs in to an Aspera server and out again, and reports what was checked and what failed.",
    usage: "storage-auth aspera probe <server> [<options>]",
    discussion: """
      Examples:
        ASPERA_SCP_PASS=… storage-auth aspera probe mia@aspera.example.com
        storage-auth aspera probe mia@aspera.example.com --key id_rsa

      The password, or the passphrase of the key, comes from ASPERA_SCP_PASS or --password-file. The login uses the \
      SSH client of this machine, or with --test-login ascp. Tokens are not checked.

      Exits with status 0 if the server accepts the account, 1 if it rejects it, 2 if its host key is not the expected \
      one, 3 if it cannot be reached, 4 if the account or this machine is unsuitable, or for another reason.
      """)

  @Argument(help: "user@host or user@host:port; the port is 33001 by default.") var server: String
  @OptionGroup var options: AccountOptions
  @Flag(name: .customLong("test-login"), help: "Log in with ascp instead of the SSH client.") var usesAscp = false

  @Option(
    help: .text(
      "The path of ascp, which implies --test-login; by default STORAGE_AUTH_ASCP, or else ascp in the PATH or in the "
        + "folders of IBM's products.", value: "path"))
  var ascp: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { _ = try address() }

  func run() async throws {
    var report = ProbeOutput()
    defer { report.finish() }
    let context = try ProviderContext.commandLine()
    do {
      let account = try options.account(at: address(), in: context)
      report.show(account, try await account.check(on: context))
      if usesAscp || ascp != nil {
        if case .refused(let failure) = await (try AscpEngine(program: ascp)).testLogin(account) { throw failure }
        report.show("login", "accepted, by ascp")
      } else {
        report.show(try await AccountProbe(context).check(account))
      }
    } catch let error as AsperaError {
      report.show("failed", ErrorReport.text(of: error) ?? "\(error)")
      throw ExitCode(4)
    } catch let failure as TransferFailure {
      report.show("failed", "\(failure)")
      throw ExitCode(failure.kind.exitStatus)
    }
  }

  /// Parses the argument, which errors never contain, because it may contain a password.
  private func address() throws -> ServerAddress {
    let scheme = "aspera://"
    let text = server.removingBytePrefix(scheme)?.bytes(before: "/") ?? server[...]
    guard let address = ServerAddress(text), address.user != nil else {
      throw ValidationError("Pass the server as user@host or user@host:port, without a password.")
    }
    return address
  }
}

extension TransferFailure.Kind {
  fileprivate var exitStatus: Int32 {
    switch self {
    case .account, .authorization, .token: 1
    case .hostKey: 2
    case .transport: 3
    default: 4
    }
  }
}

/// The output of `probe`: one fact on each line, or one JSON object.
struct ProbeOutput {
  private static let nameWidth = 15
  private let isJSON = Terminal.mode.isJSON
  private var members = JSONObject()
  private var notes: [JSONValue] = []

  /// Prints a fact, or adds it to the JSON object, in which it replaces a fact with the same name.
  mutating func show(_ name: String, _ text: String) {
    guard isJSON else { return Terminal.printLine(name.padded(to: Self.nameWidth) + text) }
    if name == "note" {
      notes.append(.string(text))
    } else {
      members[name == "host key" ? "hostKey" : name] = .string(text)
    }
  }

  mutating func show(_ account: AsperaAccount, _ report: AccountReport) {
    show("account", "\(account.user)@\(account.host):\(account.sshPort)")
    show("credential", "\(report.authentication)")
    show("host key", account.hostKey.map { "must be \($0)" } ?? "any is accepted")
    for note in report.notes { show("note", note) }
  }

  mutating func show(_ report: AccountProbeReport) {
    if let version = report.serverVersion { show("server", version) }
    if let key = report.hostKey {
      show(
        "host key",
        "\(key.type) \(key.fingerprint) (\(key.sha256)), \(report.isHostKeyPinned ? "pinned" : "not pinned")")
    }
    for note in report.notes { show("note", note) }
    show("login", "accepted, with \(report.method)")
  }

  mutating func finish() {
    guard isJSON else { return }
    members["notes"] = .array(notes)
    Terminal.printJSON(.object(members))
  }
}
