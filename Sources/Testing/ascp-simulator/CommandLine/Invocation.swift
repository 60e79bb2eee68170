// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageCrypto

/// The validated settings of a simulator run, from the command line and the environment variables.
struct Invocation: Sendable {
  /// The kind of work that the simulator does: sending files, receiving files or testing a login.
  enum Mode: String, Sendable {
    case send
    case receive = "recv"
    case testLogin = "test-login"
  }

  let mode: Mode
  let host: String
  let user: String
  let sshPort: Int
  let keyFiles: [String]
  let fingerprint: String?
  let isPersistent: Bool
  let isQuiet: Bool
  let tags: JSONValue?
  let secrets: Secrets
  let sources: SourceNaming
  let rules: FileRules

  init(_ line: CommandLineReader, _ environment: [String: String]) throws(Failure) {
    guard let mode = line[.mode].flatMap({ Mode(rawValue: $0) }) else {
      throw .usage("The mode is missing; it is send, recv or test-login")
    }
    guard let host = line[.host], let user = line[.user], !host.isEmpty, !user.isEmpty else {
      throw .usage("The host or the user is missing; give both as --host and --user")
    }
    guard line[.webSocket] == nil else { throw Failure(14, "The transfer desk has no WebSocket port") }
    self.mode = mode
    self.host = host
    self.user = user
    sshPort = try Self.port(line[.sshPort], of: .sshPort) ?? 22
    _ = try Self.port(line[.udpPort], of: .udpPort)
    keyFiles = line.all(.key)
    fingerprint = line[.fingerprint]
    isPersistent = line[.persistent] != nil
    isQuiet = line[.quiet] != nil
    tags = try Self.tags(line)
    secrets = try Secrets(environment, token: line[.token])
    sources = try SourceNaming(line, mode)
    rules = try FileRules(line)
  }

  /// Returns the number of the management port, or `nil` if the command line does not specify one.
  static func managementPort(_ line: CommandLineReader) throws(Failure) -> Int? {
    try port(line[.management], of: .management)
  }

  private static func port(_ text: String?, of option: Option) throws(Failure) -> Int? {
    guard let text else { return nil }
    guard let port = Int(digits: text), (1...65_535).contains(port) else {
      throw .usage("The value of \(option.rawValue) is not a port")
    }
    return port
  }

  private static func tags(_ line: CommandLineReader) throws(Failure) -> JSONValue? {
    let bytes: [UInt8]?
    if let encoded = line[.encodedTags] {
      bytes = [UInt8](base64: encoded) ?? []
    } else {
      bytes = line[.tags].map { Array($0.utf8) }
    }
    guard let bytes else { return nil }
    guard let tags = try? JSONValue(parsing: bytes), tags.object != nil else { throw .usage("The tags are not JSON") }
    return tags
  }
}

/// The secrets in the environment variables of the simulator.
struct Secrets: Sendable {
  /// The user's password, which also serves as the passphrase of the private key, or `nil` if there is no password.
  let password: Secret?

  /// The private key in PEM for the login, or `nil` if the environment contains no key.
  let key: Secret?

  /// The token for the transfer, or `nil` if neither the command line nor the environment contains a token.
  let token: Secret?

  init(_ environment: [String: String], token: String?) throws(Failure) {
    for name in ["ASPERA_SCP_TOKEN", "ASPERA_SCP_COOKIE"] {
      if environment[name]?.contains(where: \.isNewline) == true {
        throw .usage("The environment variable \(name) must not contain newlines")
      }
    }
    password = environment["ASPERA_SCP_PASS"].flatMap { $0.isEmpty ? nil : Secret($0) }
    key = environment["ASPERA_SCP_KEY"].flatMap { $0.isEmpty ? nil : Secret($0) }
    self.token = (token ?? environment["ASPERA_SCP_TOKEN"]).flatMap { $0.isEmpty ? nil : Secret($0) }
  }
}
