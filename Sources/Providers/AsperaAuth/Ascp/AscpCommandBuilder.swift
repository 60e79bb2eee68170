// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A builder of the ascp command for one specification, which collects the arguments and the environment variables.
struct AscpCommandBuilder {
  private static let loginFields = Set(
    ["remote_host", "remote_user", "ssh_port", "sshfp", "proxy", "use_system_ssh"] + TransferSpec.credentialFields)

  private var specification: TransferSpec
  private let options: AscpOptions
  private var arguments: [String] = []
  /// The environment variables by name; as in aspera-cli, the ascp of a client uses no Redis database.
  private var environment: [String: Secret] = ["ASPERA_TEST_REDIS_DISABLE": Secret("true")]
  private let usesWebSocket: Bool

  init(_ specification: TransferSpec, _ options: AscpOptions) throws(AsperaError) {
    try specification.validate()
    try specification.requireAddress()
    self.specification = specification
    self.options = options
    usesWebSocket = options.usesWebSocket(for: specification)
  }

  mutating func transferCommand(managementPort: Int?) throws(AsperaError) -> AscpCommand {
    try checkFields()
    try checkSupport()
    expandDeletionFields()
    replaceSSHByWebSocket()
    if let managementPort { arguments += ["-M", "\(managementPort)"] }
    try addSessionNumber()
    addFallbackFiles()
    if options.isQuiet { arguments.append("-q") }
    try addCertificatesOrTokenKey()
    for field in TransferField.all { try addOption(field) }
    arguments.append("--dest64")
    arguments += options.additional.arguments
    let list = try fileList()
    let destination = Array((specification.destinationRoot ?? "/").utf8).base64
    let sources = list == nil ? specification.paths.map(\.source) : []
    return AscpCommand(
      environment: environment, fileList: list, leadingArguments: arguments, trailingArguments: sources + [destination])
  }

  mutating func loginTestCommand() throws(AsperaError) -> AscpCommand {
    arguments.append("--mode=test-login")
    try addCertificatesOrTokenKey()
    for field in TransferField.all where Self.loginFields.contains(field.name) { try addOption(field) }
    return AscpCommand(environment: environment, fileList: nil, leadingArguments: arguments, trailingArguments: [])
  }

  /// Returns the sources, alternating with destinations if there are any, or `nil` if no list is needed.
  private func fileList() throws(AsperaError) -> AscpCommand.FileList? {
    let paths = specification.paths
    if paths.isEmpty, specification.isPersistent == true { return nil }
    guard !paths.isEmpty else {
      throw TransferSpec.invalid("has no paths", remedy: "Name the files, or set keepalive to name them later.")
    }
    let hasDestinations = paths.contains { $0.destination != nil }
    if options.usesFileList {
      let lines = paths.flatMap { [$0.source] + ($0.destination.map { [$0] } ?? []) }
      return AscpCommand.FileList(option: hasDestinations ? "--file-pair-list" : "--file-list", lines: lines)
    }
    guard !hasDestinations, !paths.contains(where: { $0.source.beginsWithByte("-") }) else {
      throw TransferSpec.invalid(
        "has paths with destinations or a leading hyphen, which cannot be arguments",
        remedy: "Let ascp read them from a list.")
    }
    return nil
  }
}

extension AscpCommandBuilder {
  /// Checks that no field that affects the transfer would be lost; `null` and `false` request no action.
  private func checkFields() throws(AsperaError) {
    for (name, value) in specification.fields where !TransferField.isKnown(name) && value != .null {
      guard isIgnored(name) else {
        throw Self.unsupportedField(
          Self.printableName(name), "is unknown, so that it would not be passed to ascp",
          remedy: "Leave it out, or name it in ignoredFields if the transfer can do without it.")
      }
    }
    for field in TransferField.all {
      guard case .refused(let reason, let remedy) = field.mapping, let value = specification.value(field.name),
        value != .bool(false), !isIgnored(field.name)
      else { continue }
      throw Self.unsupportedField(field.name, "\(reason), and ascp has no option for it", remedy: remedy)
    }
  }

  /// Replaces `delete_source`, for which ascp has no option, and `remove_empty_source_dir`.
  ///
  /// According to aspera-cli's schema (`spec.schema.yaml`), `delete_source` is equivalent to removing the files, the
  /// folders that are then empty, and the source folder itself. aspera-cli expands the field in the same way.
  private mutating func expandDeletionFields() {
    if specification.fields["delete_source"]?.bool == true {
      for name in TransferSpec.deletionFields { specification.fields[name] = true }
    }
    if let value = specification.value("remove_empty_source_dir") {
      specification.fields["remove_empty_source_directory"] = value
    }
  }

  private func isIgnored(_ name: String) -> Bool { options.ignoredFields.contains { $0.utf8.elementsEqual(name.utf8) } }

  private static func unsupportedField(_ name: String, _ problem: String, remedy: String) -> AsperaError {
    AsperaError(.unsupported, "The field \(name) of the transfer specification \(problem).", remedy: remedy)
  }

  private static func printableName(_ name: String) -> String {
    let isPlain = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return isPlain ? name : "(of \(name.utf8.count) bytes that cannot be shown)"
  }

  private mutating func addOption(_ field: TransferField) throws(AsperaError) {
    guard let value = specification.value(field.name) else { return }
    switch field.mapping {
    case .option(let name, let wordsOfAscp):
      guard let text = Self.text(value) else { return }
      arguments += [name, wordsOfAscp[text] ?? text]
    case .encoded(let name):
      let bytes = value.object != nil ? value.serialized : Array((value.string ?? "").utf8)
      if !bytes.isEmpty { arguments += [name, bytes.base64] }
    case .flag(let name, let nameForFalse):
      if value.bool == true { arguments.append(name) }
      if value.bool == false, let nameForFalse { arguments.append(nameForFalse) }
    case .variable(let name):
      if let text = specification.nonblankText(field.name) { environment[name] = Secret(text) }
    case .special: try addSpecial(field.name)
    case .informational, .refused: return
    }
  }

  private static func text(_ value: JSONValue) -> String? {
    value.string ?? value.bool.map { $0 ? "true" : "false" } ?? value.integer.map { "\($0)" }
  }

  /// Adds the option of a field whose value is not simply passed on; other special fields are handled elsewhere.
  private mutating func addSpecial(_ fieldName: String) throws(AsperaError) {
    switch fieldName {
    case "sshfp":
      // ascp compares fingerprints as strings, so only lowercase digits without colons match.
      guard let text = specification.nonemptyText(fieldName) else { return }
      arguments += ["--check-sshfp", try HostKeyFingerprint(text).description]
    case "ssh_private_key_path":
      if let path = specification.nonblankText(fieldName) { arguments += ["-i", try expanded(path)] }
    case "proxy": try addProxy()
    case "filters":
      // The order decides which of several matching patterns applies.
      for filter in specification.fields["filters"]?.array ?? [] {
        if let pattern = filter["include"]?.string { arguments += ["-N", pattern] }
        if let pattern = filter["exclude"]?.string { arguments += ["-E", pattern] }
      }
    default: return
    }
  }

  /// Returns the path with `~/` replaced by the home directory, because ascp does not expand `~/`.
  private func expanded(_ path: String) throws(AsperaError) -> String {
    guard path.hasBytePrefix("~/"), let pathInHome = path.removingBytePrefix("~") else { return path }
    guard let home = options.homeDirectory, !home.isEmpty else {
      throw AsperaError(
        .keyNotFound, "The path of the private key begins with ~/ and the home directory is not known.",
        remedy: "Set HOME, or give the whole path.")
    }
    return home + pathInHome
  }

  /// Adds the option for the proxy; the proxy's password goes into the environment.
  private mutating func addProxy() throws(AsperaError) {
    guard let proxy = specification.nonblankText("proxy") else { return }
    guard let scheme = ["dnat://", "dnats://"].first(where: { proxy.asciiLowercased.hasBytePrefix($0) }) else {
      throw TransferSpec.invalid(
        "has a proxy that is not one of Aspera's", remedy: "Write it as dnat://user@host:port, or dnats for TLS.")
    }
    let address = proxy[proxy.utf8.index(proxy.startIndex, offsetBy: scheme.utf8.count)...]
    guard let atSign = address.utf8.lastIndex(of: UInt8(ascii: "@")) else {
      arguments += ["--proxy", proxy]
      return
    }
    let userAndPassword = address[..<atSign].parts(between: ":", maxSplits: 1)
    if userAndPassword.count == 2 { environment["ASPERA_PROXY_PASS"] = Secret(String(userAndPassword[1])) }
    arguments += ["--proxy", scheme + userAndPassword[0] + address[atSign...]]
  }

  /// Checks that ascp can carry out the transfer without revealing a secret or skipping the check of a pinned host key.
  private func checkSupport() throws(AsperaError) {
    if specification.fields["use_ascp4"]?.bool == true {
      throw AsperaError(
        .unsupported, "The transfer specification requests ascp4, which has other arguments.",
        remedy: "Leave use_ascp4 out.")
    }
    let tags = try specification.decodedTags()
    try checkIDs(tags)
    guard tags.map({ $0 == TransferSpec(fields: $0).withoutSecrets.fields }) ?? true else {
      throw AsperaError(
        .unsupported,
        "The tags hold a secret, and ascp gets tags as an argument, which every user of the machine sees.",
        remedy: "Leave passwords, tokens and storage credentials out of the tags.")
    }
    if usesWebSocket, specification.sshfp?.isEmpty == false, !options.givesUpHostKey {
      throw AsperaError(
        .invalidHostKey, "A host key is pinned, and ascp cannot check it over a WebSocket.",
        remedy: "Go over SSH (webSocket: .whereNeeded and a UDP port), or set givesUpHostKey to trust certificates.")
    }
  }

  /// Checks the fields that name the access key and the folder of a transfer by their IDs.
  ///
  /// ascp has no options for these IDs. The server's ascp reads them from the tags, so they must already be there, as
  /// in a transfer that a node starts for a bearer token. A folder of this machine has no ID for ascp.
  private func checkIDs(_ tags: JSONObject?) throws(AsperaError) {
    let node = tags?["aspera"]?["node"]
    let serverFolderField = specification.direction == .send ? "destination_root_id" : "source_root_id"
    let tagNames = ["remote_access_key": "access_key", serverFolderField: "file_id"]
    for name in ["remote_access_key", "destination_root_id", "source_root_id"] {
      guard let id = specification.nonblankText(name) else { continue }
      guard let tagName = tagNames[name] else {
        throw AsperaError(
          .unsupported, "The field \(name) names a folder of this machine by an ID, and ascp knows only its path.",
          remedy: "Leave the field out, and name the folder by its path.")
      }
      guard node?[tagName]?.string == id else {
        throw AsperaError(
          .unsupported, "ascp has no option for the field \(name), and the tags do not hold the same ID.",
          remedy: "Set aspera.node.\(tagName) in the tags to this ID.")
      }
    }
  }

  /// Adds the certificates for a WebSocket, or the token account's key if there is no other credential.
  private mutating func addCertificatesOrTokenKey() throws(AsperaError) {
    if usesWebSocket {
      if let path = options.certificatesPath ?? specification.text("wss_cert_auth_path") { arguments += ["-i", path] }
      arguments.append("--ws-connect")
      return
    }
    // A passphrase alone is no credential, and is rejected without a key.
    guard !TransferSpec.credentialFields.contains(where: { specification.nonblankText($0) != nil }) else { return }
    guard specification.nonblankText("token") != nil, let path = options.tokenKeyPath else {
      throw AsperaError(
        .missingCredential, "The transfer specification has neither a password nor a private key.",
        remedy: "Sign it with an account; for a transfer with only a token, with the default token account.")
    }
    arguments += ["-i", path]
  }

  /// Replaces the SSH port with the WebSocket's, which uses neither UDP nor a host key nor the account's credential.
  private mutating func replaceSSHByWebSocket() {
    guard usesWebSocket else { return }
    specification.sshPort = specification.webSocketPort
    specification.udpPort = nil
    specification.sshfp = nil
    for name in TransferSpec.credentialFields { specification.fields[name] = nil }
  }

  private mutating func addFallbackFiles() {
    let isRequested = specification.httpFallback == .on || specification.httpFallback == .force
    if isRequested, let files = options.fallback { arguments += ["-I", files.certificatePath, "-Y", files.keyPath] }
  }

  /// Adds the position of the session in a transfer with several sessions, and its own UDP port if it needs one.
  private mutating func addSessionNumber() throws(AsperaError) {
    let count = specification.sessionCount ?? 0
    guard count > 1 || options.part != nil else { return }
    guard let part = options.part, part.count == max(count, 1), (1...part.count).contains(part.index) else {
      throw TransferSpec.invalid(
        "has multi_session \(count), and no session of that many is selected",
        remedy: "Create a command for each session, from 1 to \(max(count, 1)).")
    }
    if part.separatesPorts {
      let firstPort = specification.udpPort ?? AsperaAccount.defaultPort
      guard part.count <= Int(UInt16.max) + 1 - firstPort else {
        throw TransferSpec.invalid("has a UDP port too high for \(part.count) sessions", remedy: "Lower fasp_port.")
      }
      arguments += ["-O", "\(firstPort + part.index - 1)"]
      specification.udpPort = nil
    }
    if part.count > 1 { arguments.append("-C\(part.index):\(part.count)") }
  }
}
