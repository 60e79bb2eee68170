// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
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
  let isPersistent: Bool
  let isQuiet: Bool
  let tags: JSONValue?
  let secrets: Secrets
  let sources: SourceNaming
  let rules: FileRules

  init(_ commandLine: CommandLineReader, _ environment: [String: String]) throws(Failure) {
    guard let mode = commandLine[.mode].flatMap({ Mode(rawValue: $0) }) else {
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
    _ = try commandLine.port(.udpPort)
    keyFiles = commandLine.allValues(of: .key)
    fingerprint = commandLine[.fingerprint]
    isPersistent = commandLine[.persistent] != nil
    isQuiet = commandLine[.quiet] != nil
    tags = try Self.tags(commandLine)
    secrets = try Secrets(environment, token: commandLine[.token])
    sources = try SourceNaming(commandLine, mode)
    rules = try FileRules(commandLine)
  }

  private static func tags(_ commandLine: CommandLineReader) throws(Failure) -> JSONValue? {
    let bytes: [UInt8]?
    if let encoded = commandLine[.encodedTags] {
      bytes = [UInt8](base64: encoded) ?? []
    } else {
      bytes = commandLine[.tags].map { Array($0.utf8) }
    }
    guard let bytes else { return nil }
    guard let tags = try? JSONValue(parsing: bytes), tags.object != nil else { throw .usage("The tags are not JSON") }
    return tags
  }
}

/// The secrets of a run, which only the environment and the token option contain.
struct Secrets: Sendable {
  /// The user's password, which also serves as the passphrase of the private key.
  let password: Secret?

  /// The private key in PEM for the login.
  let key: Secret?

  /// The token on the command line, or else in the environment.
  let token: Secret?

  init(_ environment: [String: String], token: String?) throws(Failure) {
    for name in ["ASPERA_SCP_TOKEN", "ASPERA_SCP_COOKIE"] {
      if environment[name]?.contains(where: \.isNewline) == true {
        throw .usage("The environment variable \(name) must not contain newlines")
      }
    }
    func secret(_ text: String?) -> Secret? { text.flatMap { $0.isEmpty ? nil : Secret($0) } }
    password = secret(environment["ASPERA_SCP_PASS"])
    key = secret(environment["ASPERA_SCP_KEY"])
    self.token = secret(token ?? environment["ASPERA_SCP_TOKEN"])
  }
}

/// The sources of a transfer, and the rules that determine their paths at the destination.
struct SourceNaming: Sendable {
  struct Source: Sendable {
    let path: String
    /// The path below the destination, or `nil` if the file or folder keeps its name.
    var destination: String?
  }

  /// The files and folders on the command line, to which a persistent session adds others later.
  let sources: [Source]

  /// The destination folder, or the destination path of a single file.
  let destination: String

  /// Whether the destination can be the path of a single file if it is not an existing folder.
  let destinationMayBeFile: Bool

  private let prefix: String?
  private let base: String?

  init(_ commandLine: CommandLineReader, _ mode: Invocation.Mode) throws(Failure) {
    prefix = try Self.decoded(commandLine[.encodedSourcePrefix])
    base = try Self.decoded(commandLine[.encodedSourceBase])
    guard mode != .testLogin else {
      sources = []
      destination = ""
      destinationMayBeFile = false
      return
    }
    guard let last = commandLine.arguments.last else { throw .usage("The destination is missing") }
    destination = commandLine[.encodedDestination] == nil ? last : try Self.decoded(last) ?? ""
    var sources = commandLine.arguments.dropLast().map { Source(path: $0) }
    if let path = commandLine[.fileList] { sources += try Self.lines(of: path).map { Source(path: $0) } }
    if let path = commandLine[.filePairList] {
      let lines = try Self.lines(of: path)
      guard lines.count.isMultiple(of: 2) else { throw .usage("The file pair list has a source without a destination") }
      sources += stride(from: 0, to: lines.count, by: 2).map { Source(path: lines[$0], destination: lines[$0 + 1]) }
    }
    if sources.isEmpty, commandLine[.persistent] == nil { throw .usage("There are no sources") }
    self.sources = sources
    destinationMayBeFile =
      commandLine.arguments.count == 2 && commandLine[.fileList] == nil && commandLine[.filePairList] == nil
      && commandLine[.createFolder] == nil
      && base == nil && !destination.hasByteSuffix("/")
  }

  func path(of source: Source) -> String { prefix.map { Self.joined($0, source.path) } ?? source.path }

  func target(of source: Source) throws(Failure) -> String {
    if let name = source.destination { return Self.joined(destination, name) }
    return Self.joined(destination, try name(of: source))
  }

  /// Returns the path of a source from the root of the transfer set: its path below the source base, or else its name.
  func name(of source: Source) throws(Failure) -> String {
    let path = path(of: source)
    guard let base else { return path.words(between: "/").last.map(String.init) ?? "" }
    let folder = base.hasByteSuffix("/") ? base : base + "/"
    guard let name = path.removingBytePrefix(folder) else {
      throw Failure(.badPath, "The source does not lie below the source base: \(path)")
    }
    return String(name)
  }

  static func joined(_ folder: String, _ name: String) -> String {
    let name = String(Substring(name.utf8.drop { $0 == UInt8(ascii: "/") }))
    if name.isEmpty { return folder }
    return folder.isEmpty || folder.hasByteSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  private static func decoded(_ text: String?) throws(Failure) -> String? {
    guard let text else { return nil }
    guard let bytes = [UInt8](base64: text), let path = String(utf8: bytes) else {
      throw .usage("A path is not UTF-8 in Base64")
    }
    return path
  }

  private static func lines(of list: String) throws(Failure) -> [String] {
    guard let data = FileManager.default.contents(atPath: list), let text = String(utf8: data)
    else { throw Failure(.noSuchFile, "The file list cannot be read: \(list)") }
    return text.words(between: "\n").map(String.init)
  }
}
