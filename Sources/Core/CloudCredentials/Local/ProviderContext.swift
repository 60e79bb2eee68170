// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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
      environment: { Self.processEnvironment($0) },
      home: URL.homeDirectory.path, files: SystemFiles(), commands: commands,
      transport: transport, time: time)
  }

  /// Returns the value of an environment variable of this process, or `nil` if the variable is not set.
  @Sendable static func processEnvironment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  /// Returns the value of an environment variable without surrounding whitespace, or `nil` if the variable is unset or
  /// empty.
  package func variable(_ name: String) -> String? {
    environment(name)?.trimmed
  }

  /// Returns whether the value of an environment variable is `true`, ignoring case.
  func isTrue(_ name: String) -> Bool {
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
  var trimmed: String? {
    // Scalars are compared, because a space and a combining mark are one character, which is not whitespace as a whole.
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return nil }
    return String(self[first..<scalars.index(after: last)])
  }
}
