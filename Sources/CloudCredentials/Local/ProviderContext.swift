public import StorageAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a credential provider may touch on this machine, and beyond it.
///
/// Providers reach the environment, files, commands, the network and the clocks through this alone, so that a test can
/// put any of them in memory.
///
/// ```swift
/// var machine = ProviderContext(transport: transport)
/// machine.onWarning = { log.warning("\($0)") }
/// let credentials = AlibabaCredentials(machine).chain
/// ```
public struct ProviderContext: Sendable {
  /// Gives the value of an environment variable; nothing if it is not set.
  public var environment: @Sendable (_ name: String) -> String?

  /// The home directory, where paths that begin with `~/` start; nothing if there is none.
  public var home: String?

  /// Reads files.
  public var files: any FileReader

  /// Runs commands; without it, sources that need a command decline.
  public var commands: (any CommandRunner)?

  /// Sends HTTP requests.
  public var transport: any HTTPTransport

  /// The clocks.
  public var time: any SigningClock

  /// Is handed what should be put right but is no reason to fail, such as a secret file that others can read; each time
  /// that it is seen.
  public var onWarning: @Sendable (CredentialWarning) -> Void = { _ in }

  /// Puts access together from parts; for tests and for machines of another kind.
  ///
  /// - Parameters:
  ///   - environment: Gives the value of an environment variable.
  ///   - home: The home directory, absolute.
  ///   - files: Reads files.
  ///   - commands: Runs commands.
  ///   - transport: Sends HTTP requests.
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

  /// Access to the real environment and the real files; the home directory is that of the user who runs the process.
  ///
  /// - Parameters:
  ///   - transport: Sends HTTP requests.
  ///   - commands: Runs commands; without it, sources that need a command decline.
  ///   - time: The clocks.
  public init(transport: any HTTPTransport, commands: (any CommandRunner)? = nil, time: any SigningClock = .system) {
    self.init(
      environment: { Self.processEnvironment($0) },
      home: FileManager.default.homeDirectoryForCurrentUser.path, files: SystemFiles(), commands: commands,
      transport: transport, time: time)
  }

  /// A variable of the environment of this process.
  @Sendable static func processEnvironment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  /// A variable without the blanks around it; an empty one counts as not set.
  package func variable(_ name: String) -> String? {
    environment(name)?.trimmed
  }

  /// Whether a variable says `true`, in any case.
  func isTrue(_ name: String) -> Bool {
    variable(name)?.lowercased() == "true"
  }

  /// The absolute form of a path that may begin with `~/`; nothing if there is no home directory.
  package func absolute(_ path: String) -> String? {
    guard path.hasPrefix("~/") else { return path }
    return home.map { $0 + path.dropFirst() }
  }
}

extension StringProtocol {
  /// The text without the blanks and line ends around it; nothing if nothing is left.
  var trimmed: String? {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return nil
    }
    return String(self[first...last])
  }
}
