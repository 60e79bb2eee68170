// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
  ///   - timeout: The maximum run time of the command.
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
    } catch {
      throw credentialError(for: error)
    }
    guard result.ending == .exited(0) else {
      let ending =
        switch result.ending {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal)"
        }
      throw commandLocation.error(
        .failed, "\(ending) and wrote \(result.standardErrorLength) bytes to its standard error", isRetryable: true)
    }
    return IssuedCredential(try format.key(try SettingTable(json: result.standardOutput, at: outputLocation)))
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
    case .timeout: commandLocation.error(.timeout, "took longer than \(timeout)", isRetryable: true)
    case .outputTooLarge: outputLocation.malformed("is longer than \(Self.outputLimit) bytes")
    case .cancelled: commandLocation.error(.cancelled, "was ended because the wait was cancelled", remedy: "Retry.")
    }
  }
}

/// The format in which a command prints an access key.
public struct ProcessOutputFormat: Sendable {
  /// The names of the required fields, for the remedies of errors.
  let fields: String

  /// Returns the key in the parsed output.
  let key: @Sendable (SettingTable) throws(CredentialError) -> AccessKey

  package init(fields: String, key: @escaping @Sendable (SettingTable) throws(CredentialError) -> AccessKey) {
    self.fields = fields
    self.key = key
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

extension ProcessCredentialProvider: Redacted {
  /// A description with the provider's name and the program, without arguments and variables, which may be secret.
  public var description: String { "ProcessCredentialProvider(\(source): \(command))" }
}

extension CredentialProvider where Self == ProcessCredentialProvider {
  /// Returns a provider that runs a command and reads the keys that the command prints as JSON.
  ///
  /// ```swift
  /// let credentials = CredentialCache(.process(["/usr/local/bin/vault-key", "--account", "photos"]))
  /// ```
  ///
  /// The parameters are those of the initializer of ``ProcessCredentialProvider``.
  public static func process(
    _ command: CredentialCommand, environment: [String: String] = [:], timeout: Duration = .seconds(60)
  ) -> ProcessCredentialProvider {
    ProcessCredentialProvider(command, environment: environment, timeout: timeout)
  }
}
