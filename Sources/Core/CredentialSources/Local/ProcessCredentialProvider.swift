// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A provider that runs a command and reads an access key from the JSON that the command prints to its standard output.
///
/// A ``ProcessOutputFormat`` specifies the format of the JSON. The command's standard error is never shown.
public struct ProcessCredentialProvider: CredentialProvider {
  /// The maximum size of the command's output in bytes, far more than a key needs.
  private static let outputLimit = 1 << 16

  private let command: CredentialCommand
  private let environment: [String: String]
  private let timeout: Duration
  private let format: ProcessOutputFormat

  /// The provider's name, for error messages.
  public let source: String

  /// Creates a provider that runs a command.
  ///
  /// - Parameters:
  ///   - command: The command that prints an access key.
  ///   - environment: Environment variables for the command, in addition to the variables of this process.
  ///   - timeout: The maximum run time of the command; the `timeout` of a cache limits it too.
  ///   - format: The format of the command's output.
  ///   - source: The provider's name, for error messages.
  public init(
    _ command: CredentialCommand, environment: [String: String] = [:], timeout: Duration = .seconds(60),
    format: ProcessOutputFormat = .standard, source: String = "process"
  ) {
    self.command = command
    self.environment = environment
    self.timeout = timeout
    self.format = format
    self.source = source
  }

  /// Runs the command and parses its output.
  ///
  /// - Parameter context: The context whose command runner runs the command.
  /// - Returns: The access key that the command printed.
  /// - Throws: A `CredentialError`: `notConfigured` if the context has no command runner, `timeout` if the command took
  ///   too long, `malformedResponse` if the command's output is not a key, `cancelled` if the task was cancelled,
  ///   `failed` if the command could not be started or failed.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let runner = context.commands else {
      throw CredentialError(
        .notConfigured, source: source, "\(commandLocation.name) cannot be run: this program runs no commands.",
        remedy: "Give ProviderContext a CommandRunner.")
    }
    guard let program = command.arguments.first, !program.isEmpty else {
      throw CredentialError(.failed, source: source, "There is no command to run.", remedy: "Name a program.")
    }
    let result: CommandResult
    do {
      result = try await runner.run(
        command.arguments, environment: environment, timeout: timeout, outputLimit: Self.outputLimit)
    } catch { throw credentialError(for: error) }
    guard result.ending == .exited(0) else {
      let ending =
        switch result.ending {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal)"
        }
      throw commandLocation.error(
        .failed, "\(ending) and wrote \(result.standardErrorLength) bytes to its standard error", isRetryable: true)
    }
    return IssuedCredential(try format.readKey(try SettingTable(json: result.standardOutput, at: outputLocation)))
  }

  private var commandLocation: SettingLocation {
    SettingLocation(source: source, name: "The command \(command)", remedy: "Run it in a terminal to see its output.")
  }

  private var outputLocation: SettingLocation {
    SettingLocation(
      source: source, name: "The output of \(command)",
      remedy: "Let it print a JSON object with \(format.fields) and no other output.")
  }

  private func credentialError(for error: CommandError) -> CredentialError {
    switch error {
    case .notFound: commandLocation.error(.failed, "is not there", remedy: "Install it, or name it by its whole path.")
    case .notStarted(let reason):
      commandLocation.error(.failed, "could not be started: \(reason)", remedy: "See whether this user may run it.")
    case .timeout:
      commandLocation.error(
        .timeout, "took longer than \(timeout)",
        remedy: "Run it in a terminal to see why. To allow more time, raise this limit and the cache's `timeout`.",
        isRetryable: true)
    case .outputTooLarge: outputLocation.malformed("is longer than \(Self.outputLimit) bytes")
    case .cancelled: commandLocation.error(.cancelled, "was ended because the wait was cancelled", remedy: "Retry.")
    }
  }
}

extension ProcessCredentialProvider: Redacted {
  /// A description with the provider's name and the program, without arguments and variables, which may be secret.
  public var description: String { "ProcessCredentialProvider(\(source): \(command))" }
}

extension CredentialProvider where Self == ProcessCredentialProvider {
  /// Returns a provider that runs a command and reads the keys that the command prints as JSON.
  ///
  /// The parameters are those of the initializer of ``ProcessCredentialProvider``.
  public static func process(
    _ command: CredentialCommand, environment: [String: String] = [:], timeout: Duration = .seconds(60)
  ) -> ProcessCredentialProvider { ProcessCredentialProvider(command, environment: environment, timeout: timeout) }
}

/// The format in which a command prints an access key.
public struct ProcessOutputFormat: Sendable {
  /// The names of the required fields, for the remedies of errors.
  let fields: String
  let readKey: @Sendable (SettingTable) throws(CredentialError) -> AccessKey

  package init(fields: String, key: @escaping @Sendable (SettingTable) throws(CredentialError) -> AccessKey) {
    self.fields = fields
    readKey = key
  }

  /// The default format for a custom program.
  ///
  /// The output is `{"AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration"}`, or `{"mode", "access_key_id",
  /// "access_key_secret", "sts_token", "expiration"}`, with an optional token and expiration.
  public static let standard = ProcessOutputFormat(fields: "AccessKeyId and AccessKeySecret") {
    (response) throws(CredentialError) in
    guard response.has("access_key_id") || response.has("access_key_secret") || response.has("mode") else {
      return try response.requiredKey(
        .init(id: "AccessKeyId", secret: "AccessKeySecret", token: "SecurityToken", expiration: "Expiration"))
    }
    switch try response.text("mode") {
    case "AK"?: return try response.requiredKey(.init(id: "access_key_id", secret: "access_key_secret"))
    case "StsToken"?:
      _ = try response.required("sts_token")
      fallthrough
    case nil:
      return try response.requiredKey(
        .init(id: "access_key_id", secret: "access_key_secret", token: "sts_token", expiration: "expiration"))
    case let mode?:
      throw response.location.malformed(
        "has the mode \(mode.shownIfName)", remedy: "Let it print the mode AK or StsToken.")
    }
  }
}

/// A command that prints a credential, consisting of a program and its arguments.
///
/// The command runs without a shell, so that no part of it is expanded, unless it is created with ``shell(_:)``.
///
/// ```swift
/// let keys = CredentialCache(.process(["/usr/local/bin/vault-key", "--account", "photos"]))
/// let pipedKeys = CredentialCache(.process(.shell("vault read oss | jq .data")))
/// ```
public struct CredentialCommand: Sendable, Hashable, ExpressibleByArrayLiteral {
  let arguments: [String]

  /// Creates a command that runs a program without a shell.
  ///
  /// - Parameter arguments: The program, found through `PATH` unless its name contains a slash, and its arguments.
  public init(_ arguments: [String]) { self.arguments = arguments }

  /// Creates a command that runs a program without a shell.
  ///
  /// - Parameter elements: The program, found through `PATH` unless its name contains a slash, and its arguments.
  public init(arrayLiteral elements: String...) { self.init(elements) }

  /// Returns a command that runs a command line with `/bin/sh`, which expands variables and supports pipes.
  ///
  /// Use it only for command lines that an attacker cannot influence.
  ///
  /// - Parameter line: The command line to run.
  public static func shell(_ line: String) -> CredentialCommand { CredentialCommand(["/bin/sh", "-c", line]) }

  /// Splits a command line into a program and its arguments without running a shell.
  ///
  /// Whitespace separates arguments unless it is quoted or escaped with a backslash, and variables and patterns are not
  /// expanded. Returns `nil` if the line is empty, has an unclosed quotation mark or ends with a backslash.
  package init?(splitting line: String) {
    var arguments: [String] = []
    // The argument that is being read, or `nil` between two arguments; `""` begins one, too.
    var argument: String.UnicodeScalarView?
    func append(_ character: Unicode.Scalar) {
      if argument == nil { argument = .init() }
      argument?.append(character)
    }
    var quote: Unicode.Scalar?
    var characters = line.unicodeScalars.makeIterator()
    while let character = characters.next() {
      switch (quote, character) {
      case ("'"?, "'"), ("\""?, "\""): quote = nil
      case (nil, "'"), (nil, "\""):
        quote = character
        argument = argument ?? .init()
      case (nil, "\\"), ("\""?, "\\"):
        guard let next = characters.next() else { return nil }
        if quote != nil && !"\"\\$`".unicodeScalars.contains(next) { append(character) }
        append(next)
      case (nil, _) where character.properties.isWhitespace:
        if let argument { arguments.append(String(argument)) }
        argument = nil
      default: append(character)
      }
    }
    guard quote == nil else { return nil }
    if let argument { arguments.append(String(argument)) }
    guard let program = arguments.first, !program.isEmpty else { return nil }
    self.init(arguments)
  }
}

extension CredentialCommand: Redacted {
  /// A description that contains the program but not its arguments, which may contain secrets.
  public var description: String {
    guard let program = arguments.first else { return "no command" }
    return arguments.count == 1 ? program : "\(program) with \(arguments.count - 1) argument(s)"
  }
}
