// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The environment, files, commands, network and clocks that credential providers use.
///
/// Providers access the machine only through this value, so that a test can replace any part of it with an in-memory
/// one.
///
/// ```swift
/// var machine = ProviderContext(transport: transport)
/// machine.onWarning = { log.warning("\($0)") }
/// let credentials = AlibabaCredentials(machine).chain
/// ```
public struct ProviderContext: Sendable {
  /// A closure that returns the value of an environment variable, or `nil` if the variable is not set.
  public var environment: @Sendable (_ name: String) -> String?

  /// The absolute path of the home directory, which replaces `~` in paths that begin with `~/`.
  ///
  /// If the value is `nil`, files with such paths cannot be read.
  public var home: String?

  /// The reader of files, such as configuration files and token files.
  public var files: any FileReader

  /// The runner of commands, or `nil` if commands are not available.
  ///
  /// If the value is `nil`, sources that need a command cannot be used.
  public var commands: (any CommandRunner)?

  /// The transport that sends HTTP requests.
  public var transport: any HTTPTransport

  /// The clocks of this machine, for expirations, signatures and time limits.
  public var time: any SigningClock

  /// A closure that receives warnings about conditions that are not errors, such as a key file that other users can
  /// read.
  ///
  /// It is called each time that a provider detects the condition.
  public var onWarning: @Sendable (CredentialWarning) -> Void = { _ in }

  /// Creates a context from its parts, for tests and for environments other than a local process.
  ///
  /// - Parameters:
  ///   - environment: A closure that returns the value of an environment variable, or `nil` if the variable is not set.
  ///   - home: The absolute path of the home directory, or `nil` if the environment has no home directory.
  ///   - files: The reader of files.
  ///   - commands: The runner of commands, or `nil` if commands are not available. Sources that need a command then
  ///     cannot be used.
  ///   - transport: The transport that sends HTTP requests.
  ///   - time: The clocks.
  public init(
    environment: @escaping @Sendable (_ name: String) -> String?, home: String?, files: any FileReader,
    commands: (any CommandRunner)? = nil, transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.environment = environment
    self.home = home
    self.files = files
    self.commands = commands
    self.transport = transport
    self.time = time
  }

  /// Creates a context with this process's environment, this machine's files and the current user's home directory.
  ///
  /// - Parameters:
  ///   - transport: The transport that sends HTTP requests.
  ///   - commands: The runner of commands, or `nil` if commands are not available. Sources that need a command then
  ///     cannot be used.
  ///   - time: The clocks.
  public init(transport: any HTTPTransport, commands: (any CommandRunner)? = nil, time: any SigningClock = .system) {
    self.init(
      environment: { CurrentProcess.variable($0) }, home: CurrentProcess.home, files: SystemFiles(), commands: commands,
      transport: transport, time: time)
  }

  /// Returns the value of an environment variable without surrounding whitespace, or `nil` if the variable is unset or
  /// empty.
  package func variable(_ name: String) -> String? {
    environment(name)?.trimmed
  }

  /// Returns whether the value of an environment variable is `true`, ignoring case.
  package func isTrue(_ name: String) -> Bool {
    variable(name)?.lowercased() == "true"
  }

  /// Returns the path with the home directory in place of a leading `~`, or `nil` if the context has no home directory.
  ///
  /// A path that does not begin with `~/` is returned unchanged.
  package func absolute(_ path: String) -> String? {
    guard path.hasBytePrefix("~/") else { return path }
    return home.map { $0 + path.dropFirst() }
  }
}

extension StringProtocol {
  /// The string without leading and trailing whitespace and line breaks, or `nil` if the result is empty.
  package var trimmed: String? {
    // Scalars are compared, because a space and a combining mark are one character, which is not whitespace as a whole.
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return nil }
    return String(self[first..<scalars.index(after: last)])
  }
}

extension ProviderContext {
  /// Returns a closure that reads an identity token from a file.
  ///
  /// The closure reads the file at each call, because the platform replaces the token before it expires.
  ///
  /// - Parameters:
  ///   - path: The path of the token file.
  ///   - location: The location of the setting that specifies the file, for error messages.
  package func token(
    in path: String, for location: SettingLocation
  ) -> @Sendable @concurrent () async throws(CredentialError) -> Secret {
    { () throws(CredentialError) in
      let file = SettingLocation(
        source: location.source, name: "The token file \(path)", remedy: "See whether the platform has mounted it.")
      guard let absolute = absolute(path), let contents = try read(absolute, at: file) else {
        throw file.error(.failed, "is not there")
      }
      guard let text = String(validating: contents.bytes, as: UTF8.self)?.trimmed else {
        throw file.malformed("holds no text")
      }
      return Secret(text)
    }
  }
}

extension ProviderContext {
  /// Returns the values of environment variables that must be set together.
  ///
  /// - Parameters:
  ///   - names: The names of the variables.
  ///   - telling: The variables out of `names` that other tools do not set. If none of them is set, the source is not
  ///     configured.
  ///   - location: The location of the variables, for error messages.
  /// - Returns: The values of the variables, in the order of `names`.
  /// - Throws: `notConfigured` if no variable of `telling` is set. `failed` if some variables are set and others are
  ///   not.
  package func variables(
    _ names: [String], unlessUnset telling: [String], at location: SettingLocation
  ) throws(CredentialError) -> [String] {
    guard telling.contains(where: { variable($0) != nil }) else {
      throw location.error(.notConfigured, "does not set \(telling.joined(separator: " and "))")
    }
    let missing = names.filter { variable($0) == nil }
    guard missing.isEmpty else {
      let present = names.filter { variable($0) != nil }
      throw location.error(
        .failed, "sets \(present.joined(separator: " and ")) but not \(missing.joined(separator: " and "))")
    }
    return names.compactMap { variable($0) }
  }
}

/// A warning about a condition of a credential source that is not an error, such as a key file that other users can
/// read.
///
/// The warning's text contains no secrets.
public struct CredentialWarning: Sendable, Hashable, CustomStringConvertible {
  /// The name of the provider that reports the warning.
  public let source: String

  /// The condition that the warning is about, as a sentence.
  public let message: String

  /// The way to remove the condition, as a sentence.
  public let remedy: String

  /// Creates a warning that a provider reports.
  ///
  /// - Parameters:
  ///   - source: The name of the provider that reports the warning.
  ///   - message: The condition that the warning is about, as a sentence without secrets.
  ///   - remedy: The way to remove the condition, as a sentence.
  public init(source: String, _ message: String, remedy: String) {
    self.source = source.onOneLine
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The name of the provider, the message and the remedy on one line.
  public var description: String { "\(source): \(message) \(remedy)" }
}
