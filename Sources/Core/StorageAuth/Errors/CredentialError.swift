// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The error of a credential provider that cannot return a credential.
///
/// The error describes the failure, its source and the remedy, and contains no secret and no token.
public struct CredentialError: Error, Sendable, Hashable {
  /// The code that identifies the kind of failure.
  public let code: Code
  /// The name of the source that failed, such as `environment` or a host.
  public let source: String
  /// A sentence that describes the failure.
  public let message: String
  /// A sentence that describes how to fix the failure.
  public let remedy: String
  /// Whether a later request for a credential can succeed.
  public let isRetryable: Bool
  /// The errors of the sources that were tried earlier and skipped, each with the reason why the source declined.
  public let declined: [CredentialError]
  private let cause: Cause?

  /// The error that the app's own code threw, such as a callback or a login, or `nil` if there is none.
  ///
  /// If the source itself has none, the value is that of the first declined source with one. It is neither part of the
  /// description, because it can contain secrets, nor compared by `==`.
  public var underlying: (any Error)? { cause?.error ?? declined.lazy.compactMap(\.underlying).first }

  /// Creates a credential error, for implementations of ``CredentialProvider``; the parameters are the properties.
  ///
  /// The message and the remedy must not contain secrets.
  public init(
    _ code: Code, source: String, _ message: String, remedy: String, isRetryable: Bool = false,
    declined: [CredentialError] = [], underlying: (any Error)? = nil
  ) {
    self.code = code
    self.source = source.onOneLine
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
    self.isRetryable = isRetryable
    self.declined = declined
    cause = underlying.map(Cause.init)
  }

  /// The underlying error, which `dump` and `Mirror` do not show, and which is equal to every other one.
  private struct Cause: Sendable, Hashable, Redacted {
    let error: any Error

    var description: String { Secret.mask }
    static func == (first: Cause, second: Cause) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// A code that identifies why a provider cannot return a credential.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The source is not configured on this machine; a chain continues with the next provider.
    public static let notConfigured = Code(name: "notConfigured")
    /// The source has no credential now and may have one later, such as after the user has logged in.
    public static let unavailable = Code(name: "unavailable")
    /// The source could not be reached or read, or returned no credential that is valid long enough.
    public static let failed = Code(name: "failed")
    /// The source returned data that is not a credential.
    public static let malformedResponse = Code(name: "malformedResponse")
    /// The source refused to issue a credential.
    public static let rejected = Code(name: "rejected")
    /// The source did not respond in time.
    public static let timeout = Code(name: "timeout")
    /// The task that waited for a credential was cancelled, or the cache was shut down.
    public static let cancelled = Code(name: "cancelled")

    /// The name of the error code, such as `notConfigured`.
    public var description: String { name }
  }
}

extension CredentialError: ActionableError {
  /// The error code, the source, the message and the remedy, followed by one line for each source that declined.
  public var description: String {
    let lines = declined.map { "\n- \($0)" }.joined()
    return "\(code) (\(source)): \(message) \(remedy)\(lines)"
  }
}
