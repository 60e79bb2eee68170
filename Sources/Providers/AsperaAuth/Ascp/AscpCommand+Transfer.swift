// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

extension AscpCommand {
  /// Creates the ascp command for a transfer.
  ///
  /// - Parameters:
  ///   - specification: The signed transfer specification.
  ///   - options: The ascp options that the specification does not determine.
  ///   - managementPort: The TCP port of this machine to which ascp connects to report progress, or `nil` for no
  ///     reports.
  /// - Throws: An ``AsperaError`` if the specification cannot be carried out, lacks a credential, would reveal a secret
  ///   in the arguments, or contains a field for which ascp has no option.
  package init(
    _ specification: TransferSpec, options: AscpOptions = AscpOptions(), managementPort: Int? = nil
  ) throws(AsperaError) {
    try specification.validate()
    try specification.checkPlace()
    var builder = AscpCommandBuilder(specification, options)
    self = try builder.transfer(managementPort: managementPort)
  }

  /// Creates the ascp command for a login test, in which ascp connects, logs in, and exits with status 0 or 1.
  ///
  /// ascp accesses no files and does not connect to a management port. The server does not examine the token in this
  /// mode, so the token is not passed to ascp.
  ///
  /// - Parameters:
  ///   - specification: The signed transfer specification, whose paths and direction are ignored.
  ///   - options: The ascp options that the specification does not determine.
  /// - Throws: An ``AsperaError`` if the specification lacks a server, a user or a credential.
  package static func testLogin(
    _ specification: TransferSpec, options: AscpOptions = AscpOptions()
  ) throws(AsperaError) -> AscpCommand {
    var specification = specification
    if specification.direction == nil { specification.direction = .send }
    specification.offersWebSocket = nil
    try specification.validate()
    try specification.checkPlace()
    var builder = AscpCommandBuilder(specification, options)
    return try builder.testLogin()
  }
}

/// A builder that collects the arguments and the environment variables of an ascp command.
struct AscpCommandBuilder {
  /// The names of the fields that determine the connection and the login.
  private static let loginFields: Set<String> = [
    "remote_host", "remote_user", "ssh_port", "remote_password", "ssh_private_key", "ssh_private_key_passphrase",
    "ssh_private_key_path", "sshfp", "proxy", "use_system_ssh",
  ]

  var specification: TransferSpec
  let options: AscpOptions
  var arguments: [String] = []
  var environment: [String: Secret] = [:]

  /// Whether the session uses a WebSocket instead of SSH.
  let isWebSocket: Bool

  init(_ specification: TransferSpec, _ options: AscpOptions) {
    self.specification = specification
    self.options = options
    isWebSocket =
      specification.offersWebSocket == true && (options.webSocket == .whereOffered || specification.udpPort == nil)
  }

  mutating func transfer(managementPort: Int?) throws(AsperaError) -> AscpCommand {
    try checkFields()
    try checkSupport()
    expandDeletion()
    useWebSocket()
    if let managementPort { arguments += ["-M", "\(managementPort)"] }
    try addPart()
    addFallbackFiles()
    if options.isQuiet { arguments.append("-q") }
    try addAccess()
    for field in TransferField.all {
      guard let value = specification.fields[field.name], value != .null else { continue }
      try add(field, value)
    }
    environment["ASPERA_TEST_REDIS_DISABLE"] = Secret("true")
    arguments.append("--dest64")
    arguments += options.additional.words
    let list = try fileList()
    let root = Self.base64(Array((specification.destinationRoot ?? "/").utf8))
    let sources = list == nil ? specification.paths.map(\.source) : []
    return AscpCommand(
      front: arguments, back: sources + [root], list: list, environment: environment)
  }

  mutating func testLogin() throws(AsperaError) -> AscpCommand {
    arguments.append("--mode=test-login")
    try addAccess()
    for field in TransferField.all where Self.loginFields.contains(field.name) {
      if let value = specification.fields[field.name], value != .null { try add(field, value) }
    }
    environment["ASPERA_TEST_REDIS_DISABLE"] = Secret("true")
    return AscpCommand(front: arguments, environment: environment)
  }

  /// Returns the file list, which contains the sources, or alternately a source and its destination.
  ///
  /// The result is `nil` if the paths are arguments, or are sent to ascp while a persistent session runs.
  private func fileList() throws(AsperaError) -> AscpCommand.FileList? {
    let paths = specification.paths
    guard !paths.isEmpty else {
      guard specification.isPersistent == true else {
        throw TransferSpec.invalid("has no paths", "Name the files, or set keepalive to name them later.")
      }
      return nil
    }
    let hasPairs = paths.contains { $0.destination != nil }
    guard options.usesFileList else {
      guard !hasPairs, !paths.contains(where: { $0.source.beginsWithByte("-") }) else {
        throw TransferSpec.invalid(
          "has paths with destinations or a leading hyphen, which cannot be arguments",
          "Let ascp read them from a list.")
      }
      return nil
    }
    let lines = paths.flatMap { [$0.source] + ($0.destination.map { [$0] } ?? []) }
    return AscpCommand.FileList(option: hasPairs ? "--file-pair-list" : "--file-list", lines: lines)
  }
}
