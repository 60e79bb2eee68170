public import Logging

/// One line of the audit log: who asked for what, and what came of it.
///
/// No secret and no token is in it; a key is named by its id, as the logs of the cloud name it.
public struct TokenAudit: Sendable, Hashable {
  /// What came of a request.
  public enum Outcome: Sendable, Hashable {
    /// A key was handed out.
    case vended(keyID: String, until: Timestamp)
    /// None was.
    case refused(TokenServiceError)
  }

  /// When, by the server's clock.
  public let date: Timestamp

  /// Who asked.
  public let caller: String

  /// For what.
  public let scope: TokenScope

  /// What came of it.
  public let outcome: Outcome
}

extension TokenAudit {
  /// Writes audit lines to a log: keys that were handed out as `info`, refusals as `notice`.
  public static func log(to logger: Logger) -> @Sendable (TokenAudit) -> Void {
    { $0.write(to: logger) }
  }

  private func write(to logger: Logger) {
    var metadata: Logger.Metadata = ["caller": "\(caller)", "scope": "\(scope.name)", "date": "\(date)"]
    switch outcome {
    case .vended(let id, let end):
      metadata["key"] = "\(id)"
      metadata["until"] = "\(end)"
      logger.info("temporary key handed out", metadata: metadata)
    case .refused(let error):
      metadata["reason"] = "\(error)"
      logger.notice("temporary key refused", metadata: metadata)
    }
  }
}
