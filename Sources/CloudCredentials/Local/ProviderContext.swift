// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The access of credential providers to the environment, files, commands, the network and the clocks.
///
/// Providers use only this value for such access, so that a test can replace any part of it with one in memory.
///
/// ```swift
/// var machine = ProviderContext(transport: transport)
/// machine.onWarning = { log.warning("\($0)") }
/// let credentials = AlibabaCredentials(machine).chain
/// ```
public struct ProviderContext: Sendable {
  /// Returns the value of an environment variable, or `nil` if it is not set.
  public var environment: @Sendable (_ name: String) -> String?

  /// The home directory that replaces the `~` of paths that begin with `~/`, or `nil` if there is none.
  public var home: String?

  /// The reader of files.
  public var files: any FileReader

  /// The runner of commands, or `nil` if commands are not available; sources that need a command then cannot be used.
  public var commands: (any CommandRunner)?

  /// The transport that sends HTTP requests.
  public var transport: any HTTPTransport

  /// The clocks.
  public var time: any SigningClock

  /// Receives warnings about conditions that are not errors, such as a secret file that other users can read.
  ///
  /// It is called each time that a provider notices the condition.
  public var onWarning: @Sendable (CredentialWarning) -> Void = { _ in }

  /// Creates a context from its parts, for tests and for other environments than a local process.
  ///
  /// - Parameters:
  ///   - environment: Returns the value of an environment variable.
  ///   - home: The absolute path of the home directory.
  ///   - files: The reader of files.
  ///   - commands: The runner of commands, or `nil` if commands are not available.
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

  /// Creates a context with the environment of this process, the files of this machine and the current user's home
  /// directory.
  ///
  /// - Parameters:
  ///   - transport: The transport that sends HTTP requests.
  ///   - commands: The runner of commands, or `nil` if commands are not available; sources that need a command then
  ///     cannot be used.
  ///   - time: The clocks.
  public init(transport: any HTTPTransport, commands: (any CommandRunner)? = nil, time: any SigningClock = .system) {
    self.init(
      environment: { Self.processEnvironment($0) },
      home: FileManager.default.homeDirectoryForCurrentUser.path, files: SystemFiles(), commands: commands,
      transport: transport, time: time)
  }

  /// Returns the value of a variable in the environment of this process.
  @Sendable static func processEnvironment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  /// Returns the value of a variable without surrounding blanks, or `nil` if it is unset or empty.
  package func variable(_ name: String) -> String? {
    environment(name)?.trimmed
  }

  /// Returns whether a variable is `true`, ignoring case.
  func isTrue(_ name: String) -> Bool {
    variable(name)?.lowercased() == "true"
  }

  /// Returns the absolute form of a path that may begin with `~/`, or `nil` if there is no home directory.
  package func absolute(_ path: String) -> String? {
    guard path.hasPrefix("~/") else { return path }
    return home.map { $0 + path.dropFirst() }
  }
}

extension StringProtocol {
  /// The string without surrounding blanks and line breaks, or `nil` if the rest is empty.
  var trimmed: String? {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return nil
    }
    return String(self[first...last])
  }
}
