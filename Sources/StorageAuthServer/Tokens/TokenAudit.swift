// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import Logging

/// An entry of the audit log: the caller of a request, its subject and its outcome.
///
/// It contains neither a secret nor a token; a key is identified by its ID, as in the cloud's logs.
public struct TokenAudit: Sendable, Hashable {
  /// The subject of a request.
  public enum Subject: Sendable, Hashable {
    /// A temporary key.
    case key(TokenScope)
    /// A token for a transfer to or from these paths of the node.
    case transfer(TransferDirection, paths: [String])
  }

  /// The outcome of a request.
  public enum Outcome: Sendable, Hashable {
    /// A key or a token was issued, with the ID of the key or the fingerprint of the token.
    case vended(id: String, until: Timestamp?)
    /// The request was refused.
    case refused(TokenServiceError)
  }

  /// The time of the request by the server's clock.
  public let date: Timestamp

  /// The caller.
  public let caller: String

  /// The subject of the request.
  public let subject: Subject

  /// The outcome of the request.
  public let outcome: Outcome
}

extension TokenAudit: CustomStringConvertible {
  /// The entry as one readable line with its time, caller and outcome; line breaks in its parts are removed.
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
  /// Returns a closure that writes audit entries to a log: issued keys and tokens at `info`, refusals at `notice`.
  ///
  /// - Parameter logger: The log.
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
