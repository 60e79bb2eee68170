internal import StorageAuth

/// Something about a source of credentials that should be put right, but is no reason to fail.
///
/// No secret and no token is in it.
public struct CredentialWarning: Sendable, Hashable, CustomStringConvertible {
  /// The source.
  public let source: String

  /// What is wrong, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes a warning; for providers.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - message: What is wrong, in a sentence without secrets.
  ///   - remedy: What to do about it, in a sentence.
  public init(source: String, _ message: String, remedy: String) {
    self.source = source.onOneLine
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// The source, the message and the remedy.
  public var description: String { "\(source): \(message) \(remedy)" }
}
