public import StorageAuth

/// A provider that answers what a test says, counts how often it is asked, and can be held.
///
/// ```swift
/// let provider = ScriptedProvider([.credential(key), .failure(outage), .credential(other)])
/// provider.hold()
/// let first = Task { try await cache.credential() }
/// await provider.wait(forCalls: 1)
/// provider.release()
/// ```
public final class ScriptedProvider<Value: Credential>: CredentialProvider {
  /// Makes the answer to a call; the first call has the number 1.
  public typealias Script = @Sendable @concurrent (_ call: Int) async throws(CredentialError) -> IssuedCredential<Value>

  /// One answer of a list.
  public struct Answer: Sendable {
    let result: Result<IssuedCredential<Value>, CredentialError>

    /// A credential, and what the issuer's clock said.
    public static func credential(_ value: Value, issuerTime: Timestamp? = nil) -> Answer {
      Answer(result: .success(IssuedCredential(value, issuerTime: issuerTime)))
    }

    /// An error.
    public static func failure(_ error: CredentialError) -> Answer {
      Answer(result: .failure(error))
    }
  }

  /// The name of the source.
  public let source: String

  private let script: Script
  private let tally = Tally()
  private let gate = Gate()

  /// Answers by a function.
  ///
  /// - Parameters:
  ///   - source: The name of the source.
  ///   - script: Makes the answer to a call.
  public init(source: String = "script", _ script: @escaping Script) {
    self.source = source
    self.script = script
  }

  /// Answers by a list, one answer a call; the last one is given again and again.
  ///
  /// - Parameters:
  ///   - answers: The answers; an empty list fails each call.
  ///   - source: The name of the source.
  public convenience init(_ answers: [Answer], source: String = "script") {
    self.init(source: source) { call throws(CredentialError) in
      guard let answer = answers.dropFirst(call - 1).first ?? answers.last else {
        throw CredentialError(
          .failed, source: source, "The script has no answer.", remedy: "Give the scripted provider an answer.")
      }
      return try answer.result.get()
    }
  }

  /// How often it was asked.
  public var calls: Int { tally.count }

  /// How many calls are held.
  public var held: Int { gate.waiting }

  /// Holds calls from now on: they are counted, and not answered.
  public func hold() {
    gate.close()
  }

  /// Answers the calls that are held, and those that come.
  public func release() {
    gate.open()
  }

  /// Answers the call that has been held longest; the others stay held.
  public func releaseOne() {
    gate.letOneThrough()
  }

  /// Waits until it was asked as often as that, or the task is cancelled.
  public func wait(forCalls count: Int) async {
    await tally.reached(count)
  }

  /// The next answer's credential.
  public func credential() async throws(CredentialError) -> Value {
    try await issue().credential
  }

  /// The next answer.
  ///
  /// - Throws: What the script says; `cancelled` if the task is cancelled while the call is held.
  public func issue() async throws(CredentialError) -> IssuedCredential<Value> {
    let call = tally.add(1)
    do {
      try await gate.pass()
    } catch {
      throw CredentialError(
        .cancelled, source: source, "The wait for a held answer was cancelled.", remedy: "Release the provider.")
    }
    return try await script(call)
  }
}
