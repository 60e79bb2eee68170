public import AsperaAuth
public import Logging

/// One line of the audit log: who asked for what, and what came of it.
///
/// No secret and no token is in it; a key is named by its id, as the logs of the cloud name it.
public struct TokenAudit: Sendable, Hashable {
  /// What was asked for.
  public enum Subject: Sendable, Hashable {
    /// A temporary key.
    case key(TokenScope)
    /// A token for a transfer, to or from these paths of the node.
    case transfer(TransferDirection, paths: [String])
  }

  /// What came of a request.
  public enum Outcome: Sendable, Hashable {
    /// It was handed out: the id of a key, or the fingerprint of a token.
    case vended(id: String, until: Timestamp?)
    /// Nothing was.
    case refused(TokenServiceError)
  }

  /// When, by the server's clock.
  public let date: Timestamp

  /// Who asked.
  public let caller: String

  /// For what.
  public let subject: Subject

  /// What came of it.
  public let outcome: Outcome
}

extension TokenAudit: CustomStringConvertible {
  /// The line for people: when, who, and what came of it; whatever is in it, it is one line.
  public var description: String {
    let text =
      switch outcome {
      case .vended(let id, let end): "\(date) \(caller) got \(id)\(end.map { " until \($0)" } ?? "")"
      case .refused(let error): "\(date) \(caller) refused: \(error)"
      }
    return text.onOneLine
  }
}

extension TokenAudit {
  /// Writes audit lines to a log: what was handed out as `info`, refusals as `notice`.
  public static func log(to logger: Logger) -> @Sendable (TokenAudit) -> Void {
    { $0.write(to: logger) }
  }

  private func write(to logger: Logger) {
    var metadata: Logger.Metadata = ["caller": "\(caller.onOneLine)", "date": "\(date)"]
    switch subject {
    case .key(let scope): metadata["scope"] = "\(scope.name.onOneLine)"
    case .transfer(let direction, let paths):
      metadata["direction"] = "\(direction.rawValue)"
      metadata["paths"] = "\(paths.joined(separator: ", ").onOneLine)"
    }
    switch outcome {
    case .vended(let id, let end):
      metadata["id"] = "\(id.onOneLine)"
      metadata["until"] = end.map { "\($0)" }
      logger.info("handed out", metadata: metadata)
    case .refused(let error):
      metadata["reason"] = "\("\(error)".onOneLine)"
      logger.notice("refused", metadata: metadata)
    }
  }
}
