// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import Foundation
internal import StoragePrograms

struct AsperaOptions: ParsableArguments {
  /// The permitted values of `--start-spacing` in seconds.
  static let startSpacings = 0...3600
  static let ascpHelp = ArgumentHelp(
    "The path of ascp; by default STORAGE_AUTH_ASCP, or else ascp in the PATH or in the folders of IBM's products.",
    valueName: "path")

  @Option(help: Self.ascpHelp) var ascp: String?
  @Option(help: .text("The target rate in kilobits per second.", value: "kbit/s")) var rate: Int?

  @Flag(help: "Log in for transfers with a generated key that is registered with the node, instead of IBM's key.")
  var dynamicKey = false

  @Option(
    help: .text(
      "The tags of transfers with only an account, as a JSON object or as @ and the path of a file; a bearer token in "
        + "ASPERA_SCP_TOKEN requires aspera.node.access_key and aspera.node.file_id in them.", value: "json"))
  var tags: TagsArgument?

  @Option(
    help: .text(
      "The transfer server and its SSH port, for locations with a node; by default those that the node specifies.",
      value: "host[:port]"))
  var transferServer: ServerAddress?

  @Option(
    help: .text(
      "The time between the starts of two transfers in seconds, for a server that limits simultaneous logins; none by "
        + "default.", value: "seconds"))
  var startSpacing: Int?

  @OptionGroup var account: AccountOptions

  /// The names of the options, each with whether it has a value.
  var presence: [(String, Bool)] {
    [
      ("ascp", ascp != nil), ("rate", rate != nil), ("dynamic-key", dynamicKey), ("tags", tags != nil),
      ("transfer-server", transferServer != nil), ("start-spacing", startSpacing != nil), ("key", account.key != nil),
      ("password-file", account.passwordFile != nil), ("sshfp", account.sshfp != nil),
      ("udp-port", account.udpPort != nil),
    ]
  }

  /// Whether the command line names a key or a password, which replaces a setting of a generated key.
  private var namesLogin: Bool {
    account.key != nil && !Settings.contains("key")
      || account.passwordFile != nil && !Settings.contains("password-file")
  }

  func validate() throws {
    try Self.startSpacings.require(startSpacing, of: "--start-spacing", " seconds")
    if dynamicKey, namesLogin, !Settings.contains("dynamic-key") {
      throw ValidationError("Leave out --key and --password-file, or --dynamic-key.")
    }
    if transferServer?.user != nil { throw ValidationError("Name the --transfer-server without a user.") }
  }

  func transferOptions(atATime count: Int) throws -> AsperaTransferOptions {
    let context = try ProviderContext.commandLine()
    let usesDynamicKey = dynamicKey && !(namesLogin && Settings.contains("dynamic-key"))
    let passphrase = try usesDynamicKey || account.passwordFile == nil ? nil : account.secret(in: context)
    let server = TransferServer(
      host: transferServer?.host, sshPort: transferServer?.port, udpPort: account.udpPort,
      hostKey: try account.sshfp.map { text throws(AsperaError) in try HostKeyFingerprint(text) })
    return AsperaTransferOptions(
      login: usesDynamicKey ? .dynamicKey : .tokenAccount(keyPath: account.key, passphrase: passphrase), server: server,
      ascp: ascp, targetRate: rate, queue: queueConfiguration(atATime: count))
  }

  private func queueConfiguration(atATime count: Int) -> TransferQueueConfiguration {
    TransferQueueConfiguration(maximumActive: count, startSpacing: .seconds(startSpacing ?? 0))
  }

  func accountTransfers(on server: ServerAddress, atATime count: Int) async throws -> AccountTransfers {
    let context = try ProviderContext.commandLine()
    let account = try account.account(at: server, in: context)
    for note in try await account.check(on: context).notes { Terminal.printNote("note: \(note)") }
    var options = AscpOptions()
    if let rate { options.additional = try AscpArguments(["-l", "\(rate)"]) }
    let transfers = AccountTransfers(
      account, token: try self.account.token(in: context), tags: tags?.object,
      queue: queueConfiguration(atATime: count), engine: try AscpEngine(program: ascp, options: options))
    EventLog.noteRetries(transfers.events)
    return transfers
  }
}

/// The tags of a transfer: a JSON object, or `@` and the path of a file with one.
struct TagsArgument: ExpressibleByArgument {
  let object: JSONObject

  init?(argument: String) {
    let file = argument.hasPrefix("@") ? argument.dropFirst() : nil
    let bytes = file.map { FileManager.default.contents(atPath: String($0)).map { Array($0) } } ?? Array(argument.utf8)
    guard let bytes, let object = (try? JSONValue(parsing: bytes))?.object else { return nil }
    self.object = object
  }
}
