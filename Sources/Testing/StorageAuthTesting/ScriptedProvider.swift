// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A credential provider that returns scripted results, counts its calls, and can hold them.
///
/// ```swift
/// let provider = ScriptedProvider([.credential(key), .failure(outage), .credential(other)])
/// provider.hold()
/// let first = Task { try await cache.credential() }
/// await provider.wait(forCalls: 1)
/// provider.release()
/// ```
public final class ScriptedProvider<Value: Credential>: CredentialProvider {
  /// The type of a closure that returns the result for a call; the first call has the number 1.
  public typealias Script = @Sendable @concurrent (_ call: Int) async throws(CredentialError) -> IssuedCredential<Value>

  /// A scripted result of a call to the provider.
  public struct Answer: Sendable {
    let result: Result<IssuedCredential<Value>, CredentialError>

    /// Returns a scripted result that contains a credential, and its time of issue by the issuer's clock if it is known.
    public static func credential(_ value: Value, issuerTime: Timestamp? = nil) -> Answer {
      Answer(result: .success(IssuedCredential(value, issuerTime: issuerTime)))
    }

    /// Returns a scripted result that contains an error, which the call throws.
    public static func failure(_ error: CredentialError) -> Answer { Answer(result: .failure(error)) }
  }

  /// The name of the credential source in errors and events.
  public let source: String
  private let script: Script
  private let callTally = Tally()
  private let gate = Gate()

  /// Creates a provider with a name for its credential source, which returns the results of a closure.
  public init(source: String = "script", _ script: @escaping Script) {
    self.source = source
    self.script = script
  }

  /// Creates a provider that returns the results in a list, one for each call, and repeats the last result.
  ///
  /// If the list is empty, each call fails. `source` is the name of the credential source in errors and events.
  public convenience init(_ responses: [Answer], source: String = "script") {
    self.init(source: source) { call throws(CredentialError) in
      guard let response = responses.dropFirst(call - 1).first ?? responses.last else {
        throw CredentialError(
          .failed, source: source, "The script has no results.", remedy: "Pass at least one to the provider.")
      }
      return try response.result.get()
    }
  }

  /// The number of calls to the provider so far.
  public var calls: Int { callTally.count }

  /// The number of calls that the provider is holding.
  public var held: Int { gate.waiterCount }

  /// Holds all calls from now on: the provider counts them, but they do not return.
  public func hold() { gate.close() }

  /// Releases the held calls, and stops holding new calls.
  public func release() { gate.open() }

  /// Releases the call that has been held longest; the other calls remain held.
  public func releaseOne() { gate.letOneThrough() }

  /// Waits until the provider has received the given number of calls since its creation, or the task is cancelled.
  public func wait(forCalls count: Int) async { await callTally.wait(for: count) }

  /// Returns the issued credential in the next scripted result; the context is not used.
  ///
  /// - Throws: The scripted error, or a `CredentialError` with the code `cancelled` if the task of a held call is.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Value> {
    let call = callTally.add(1)
    do { try await gate.pass() } catch {
      throw CredentialError(
        .cancelled, source: source, "The wait for a held call was cancelled.", remedy: "Release the provider.")
    }
    return try await script(call)
  }
}
