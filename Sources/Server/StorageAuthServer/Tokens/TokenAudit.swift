// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import CoreMetrics
public import Logging

/// An audit log entry for a request, with its caller, its subject and its outcome.
///
/// The entry contains neither a secret nor a token, and identifies a key by its ID, as the cloud's logs do.
public struct TokenAudit: Sendable, Hashable, CustomStringConvertible {
  /// The key or token that a caller requests.
  public enum Subject: Sendable, Hashable {
    /// A temporary key with the given scope.
    case key(TokenScope)
    /// A token for a transfer to or from the given paths on an Aspera node.
    case transfer(TransferDirection, paths: [String])
  }

  /// The outcome of a request for a key or token.
  public enum Outcome: Sendable, Hashable {
    /// A key or a token was issued, with the key's ID or the token's fingerprint.
    case issued(id: String, until: Timestamp?)
    /// The request was refused because of the given error.
    case refused(TokenServiceError)
  }

  /// The limits of the paths and the reason in a log, whose size the callers would otherwise determine.
  private static let (shownPathLimit, shownByteLimit) = (10, 1_024)

  /// The time of the request according to this server's clock.
  public let date: Timestamp
  /// The user ID of the caller that sent the request.
  public let caller: String
  /// The key or token that the caller requested.
  public let subject: Subject
  /// The outcome of the request for a key or token.
  public let outcome: Outcome

  /// The entry as a single line with time, caller and outcome.
  public var description: String {
    let text =
      switch outcome {
      case .issued(let id, let expiration): "\(date) \(caller) got \(id)\(expiration.map { " until \($0)" } ?? "")"
      case .refused(let error): "\(date) \(caller) refused: \("\(error)".shortened(to: Self.shownByteLimit))"
      }
    return text.onOneLine
  }

  /// Returns a closure that writes audit entries to a log.
  ///
  /// Issued keys and tokens have the log level `info`, and refusals the level `notice`. An entry contains the first ten
  /// paths of a transfer, and at most 1,024 bytes of each path and of a reason.
  ///
  /// - Parameter logger: The logger that receives the entries.
  public static func log(to logger: Logger) -> @Sendable (TokenAudit) -> Void {
    { entry in entry.write(to: logger) }
  }

  private func write(to logger: Logger) {
    var metadata: Logger.Metadata = ["caller": "\(caller.onOneLine)", "date": "\(date)"]
    switch subject {
    case .key(let scope): metadata["scope"] = "\(scope.name.onOneLine)"
    case .transfer(let direction, let paths):
      metadata["direction"] = "\(direction.rawValue)"
      let shownPaths = paths.prefix(Self.shownPathLimit).map { $0.shortened(to: Self.shownByteLimit).onOneLine }
      metadata["paths"] = "\(shownPaths.joined(separator: ", "))"
      metadata["path_count"] = "\(paths.count)"
    }
    switch outcome {
    case .issued(let id, let expiration):
      metadata["id"] = "\(id.onOneLine)"
      metadata["until"] = expiration.map { "\($0)" }
      logger.info("handed out", metadata: metadata)
    case .refused(let error):
      metadata["reason"] = "\("\(error)".shortened(to: Self.shownByteLimit).onOneLine)"
      logger.notice("refused", metadata: metadata)
    }
  }

  /// Returns a closure that counts audit entries with swift-metrics.
  ///
  /// The label `outcome` of the counter `storage_auth_keys_total` is `issued` or the reason of a refusal, such as
  /// `rate`. There is no label for the caller, because the number of callers has no limit.
  ///
  /// - Parameter factory: The metrics backend; by default, the one that the process has bootstrapped.
  public static func count(in factory: any MetricsFactory = MetricsSystem.factory) -> @Sendable (TokenAudit) -> Void {
    { entry in
      Counter(label: "storage_auth_keys_total", dimensions: [("outcome", entry.outcome.label)], factory: factory)
        .increment()
    }
  }
}

extension TokenAudit.Outcome {
  fileprivate var label: String {
    switch self {
    case .issued: "issued"
    case .refused(.tooManyRequests): "rate"
    case .refused(.unavailable): "unavailable"
    case .refused(.permanentKey): "permanentKey"
    case .refused(.notAllowed): "notAllowed"
    case .refused(.scope): "scope"
    }
  }
}
