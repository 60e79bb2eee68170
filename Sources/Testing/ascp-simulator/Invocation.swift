// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The validated settings of a simulator run, from the command line and the environment variables.
struct Invocation: Sendable {
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
  /// Whether the session goes on for commands on the management port after the sources are transferred (`--keepalive`).
  let acceptsCommands: Bool
  let isQuiet: Bool
  let tags: JSONValue?
  let secrets: Secrets
  let sourceNaming: SourceNaming
  let fileRules: FileRules

  init(_ commandLine: CommandLineReader, _ environment: [String: String]) throws(Failure) {
    guard let mode: Mode = try commandLine.choice(.mode) else {
      throw .usage("The mode is missing; it is send, recv or test-login")
    }
    guard let host = commandLine[.host], let user = commandLine[.user], !host.isEmpty, !user.isEmpty else {
      throw .usage("The host or the user is missing; give both as --host and --user")
    }
    guard commandLine[.webSocket] == nil else {
      throw Failure(.connectionError, "The transfer desk has no WebSocket port")
    }
    self.mode = mode
    self.host = host
    self.user = user
    sshPort = try commandLine.port(.sshPort) ?? 22
    // The port has no effect, but ascp also rejects an invalid one.
    _ = try commandLine.port(.udpPort)
    keyFiles = commandLine.allValues(of: .key)
    fingerprint = commandLine[.fingerprint]
    acceptsCommands = commandLine[.persistent] != nil
    isQuiet = commandLine[.quiet] != nil
    tags = try Self.parsedTags(of: commandLine)
    secrets = try Secrets(environment, token: commandLine[.token])
    sourceNaming = try SourceNaming(commandLine, mode)
    fileRules = try FileRules(commandLine)
  }

  private static func parsedTags(of commandLine: CommandLineReader) throws(Failure) -> JSONValue? {
    let json: [UInt8]?
    if let encoded = commandLine[.encodedTags] {
      guard let decoded = [UInt8](base64: encoded) else { throw .usage("The tags are not Base64") }
      json = decoded
    } else {
      json = commandLine[.tags].map { Array($0.utf8) }
    }
    guard let json else { return nil }
    guard let tags = try? JSONValue(parsing: json), tags.object != nil else { throw .usage("The tags are not JSON") }
    return tags
  }
}

/// The secrets of a run, which only the environment and the token option contain.
struct Secrets: Sendable {
  /// The user's password, which also serves as the passphrase of the private key.
  let password: Secret?
  let key: Secret?
  let token: Secret?

  init(_ environment: [String: String], token: String?) throws(Failure) {
    // The cookie has no effect, but ascp also rejects an invalid one.
    for name in ["ASPERA_SCP_TOKEN", "ASPERA_SCP_COOKIE"] {
      if environment[name]?.contains(where: \.isNewline) == true {
        throw .usage("The environment variable \(name) must not contain newlines")
      }
    }
    func secret(_ text: String?) -> Secret? { text.flatMap { $0.isEmpty ? nil : Secret($0) } }
    password = secret(environment["ASPERA_SCP_PASS"])
    key = secret(environment["ASPERA_SCP_KEY"])
    // The token option also replaces the variable if the option is empty: then the session has no token.
    self.token = secret(token ?? environment["ASPERA_SCP_TOKEN"])
  }
}
