// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The environment, files, commands, network and clocks that a credential provider uses.
///
/// A provider is a value that describes where credentials come from, and receives the context with each call. A
/// ``CredentialCache`` passes its context to its provider. A test can replace each part by one in memory.
///
/// ```swift
/// var context = ProviderContext(transport: transport)
/// context.onWarning = { log.warning("\($0)") }
/// let credentials = CredentialCache(.alibabaDefault, in: context)
/// ```
public struct ProviderContext: Sendable {
  /// A closure that returns the value of an environment variable, or `nil` if the variable is not set.
  public var environment: @Sendable (_ name: String) -> String?
  /// The absolute path of the home directory, which replaces `~` in paths that begin with `~/`, or `nil` without one.
  public var home: String?
  /// The reader of files, such as configuration files and token files.
  public var files: any FileReader
  /// The runner of commands, or `nil` if commands, and sources that need one, cannot be used.
  public var commands: (any CommandRunner)?
  /// The transport that sends HTTP requests, or `nil`, so that sources that need one count as not configured.
  public var transport: (any HTTPTransport)?
  /// The clocks of this machine, for expirations, signatures and time limits.
  public var time: any SigningClock
  /// The time limit for each request and its response, or `nil` for the provider's own limit.
  public var timeout: Duration?
  /// A closure that receives a warning each time that a provider detects a condition that is no error.
  public var onWarning: @Sendable (CredentialWarning) -> Void = { _ in }

  /// Creates a context for tests and for environments other than a local process; the parameters are the properties.
  public init(
    environment: @escaping @Sendable (_ name: String) -> String?, home: String?, files: any FileReader,
    commands: (any CommandRunner)? = nil, transport: (any HTTPTransport)? = nil, time: any SigningClock = .system,
    timeout: Duration? = nil
  ) {
    self.environment = environment
    self.home = home
    self.files = files
    self.commands = commands
    self.transport = transport
    self.time = time
    self.timeout = timeout
  }

  /// Creates a context with this process's environment, this machine's files and the current user's home directory.
  ///
  /// The parameters are the properties.
  public init(
    transport: (any HTTPTransport)? = nil, commands: (any CommandRunner)? = nil, time: any SigningClock = .system,
    timeout: Duration? = nil
  ) {
    self.init(
      environment: { CurrentProcess.variable($0) }, home: CurrentProcess.home, files: SystemFiles(),
      commands: commands, transport: transport, time: time, timeout: timeout)
  }

  /// The context of this process without network and commands: environment, files and clocks.
  ///
  /// It is the default of caches in programs that do not import `StorageClient`, whose default has both.
  public static var local: ProviderContext { ProviderContext() }

  /// Returns the transport, which a provider that must send a request uses.
  ///
  /// - Parameter source: The name of the provider, for the error.
  /// - Throws: A ``CredentialError`` with the code `notConfigured` if the context has no transport.
  public func transport(for source: String) throws(CredentialError) -> any HTTPTransport {
    if let transport { return transport }
    throw CredentialError(
      .notConfigured, source: source, "The source sends requests, and the cache was created without a transport.",
      remedy: "Create it with one: CredentialCache(…, in: ProviderContext(transport: …)).")
  }

  /// Returns the value without surrounding whitespace, or `nil` if the variable is unset or empty.
  package func variable(_ name: String) -> String? { environment(name)?.trimmed }
  package func isTrue(_ name: String) -> Bool { variable(name)?.lowercased() == "true" }

  /// Returns a path with the home directory in place of a leading `~`, or `nil` if there is no home directory.
  package func absolute(_ path: String) -> String? {
    guard path.hasBytePrefix("~/") else { return path }
    return home.map { $0 + path.dropFirst() }
  }
}

extension ProviderContext: Redacted {
  /// A description that contains none of the values that the context gives access to.
  public var description: String { "ProviderContext" }
}

/// A warning about a condition of a credential source that is no error, such as a key file that others can read.
///
/// The warning's text contains no secrets.
public struct CredentialWarning: Sendable, Hashable, CustomStringConvertible {
  /// The name of the provider that reports the warning.
  public let source: String
  /// The condition that the warning is about, as a sentence.
  public let message: String
  /// The way to remove the condition, as a sentence.
  public let remedy: String

  /// Creates a warning; the parameters are the properties.
  public init(source: String, _ message: String, remedy: String) {
    self.source = source.onOneLine
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The name of the provider, the message and the remedy on one line.
  public var description: String { "\(source): \(message) \(remedy)" }
}
