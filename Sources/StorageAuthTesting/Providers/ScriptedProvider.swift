// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A provider that returns scripted results, counts its calls, and can hold them.
///
/// ```swift
/// let provider = ScriptedProvider([.credential(key), .failure(outage), .credential(other)])
/// provider.hold()
/// let first = Task { try await cache.credential() }
/// await provider.wait(forCalls: 1)
/// provider.release()
/// ```
public final class ScriptedProvider<Value: Credential>: CredentialProvider {
  /// A function that returns the result of a call; the first call has the number 1.
  public typealias Script = @Sendable @concurrent (_ call: Int) async throws(CredentialError) -> IssuedCredential<Value>

  /// One scripted result.
  public struct Answer: Sendable {
    let result: Result<IssuedCredential<Value>, CredentialError>

    /// Returns a result with a credential.
    ///
    /// - Parameters:
    ///   - value: The credential.
    ///   - issuerTime: The time by the issuer's clock when it issued the credential, or `nil` if it is not known.
    public static func credential(_ value: Value, issuerTime: Timestamp? = nil) -> Answer {
      Answer(result: .success(IssuedCredential(value, issuerTime: issuerTime)))
    }

    /// Returns a result with an error.
    ///
    /// - Parameter error: The error that the call throws.
    public static func failure(_ error: CredentialError) -> Answer {
      Answer(result: .failure(error))
    }
  }

  /// The name of the source.
  public let source: String

  private let script: Script
  private let tally = Tally()
  private let gate = Gate()

  /// Creates a provider that returns the results of a function.
  ///
  /// - Parameters:
  ///   - source: The name of the source.
  ///   - script: A function that returns the result of a call.
  public init(source: String = "script", _ script: @escaping Script) {
    self.source = source
    self.script = script
  }

  /// Creates a provider that returns the results of a list, one for each call; the last result is repeated.
  ///
  /// - Parameters:
  ///   - answers: The results; with an empty list, each call fails.
  ///   - source: The name of the source.
  public convenience init(_ answers: [Answer], source: String = "script") {
    self.init(source: source) { call throws(CredentialError) in
      guard let answer = answers.dropFirst(call - 1).first ?? answers.last else {
        throw CredentialError(
          .failed, source: source, "The script has no results.", remedy: "Pass at least one to the provider.")
      }
      return try answer.result.get()
    }
  }

  /// The number of calls so far.
  public var calls: Int { tally.count }

  /// The number of calls that are being held.
  public var held: Int { gate.waiting }

  /// Holds calls from now on: they are counted, but do not return.
  public func hold() {
    gate.close()
  }

  /// Releases the held calls, and stops holding new ones.
  public func release() {
    gate.open()
  }

  /// Releases the call that has been held longest; the others stay held.
  public func releaseOne() {
    gate.letOneThrough()
  }

  /// Waits until the provider has been called a number of times, or the task is cancelled.
  ///
  /// - Parameter count: The number of calls since the provider was created.
  public func wait(forCalls count: Int) async {
    await tally.reached(count)
  }

  /// Returns the credential of the next result.
  ///
  /// - Throws: The scripted error; a `CredentialError` with the code `cancelled` if the task is cancelled while the
  ///   call is held.
  public func credential() async throws(CredentialError) -> Value {
    try await issue().credential
  }

  /// Returns the next result.
  ///
  /// - Throws: The scripted error; a `CredentialError` with the code `cancelled` if the task is cancelled while the
  ///   call is held.
  public func issue() async throws(CredentialError) -> IssuedCredential<Value> {
    let call = tally.add(1)
    do {
      try await gate.pass()
    } catch {
      throw CredentialError(
        .cancelled, source: source, "The wait for a held call was cancelled.", remedy: "Release the provider.")
    }
    return try await script(call)
  }
}
