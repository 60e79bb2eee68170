// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Logging

/// An observer that writes the events of a storage client to a logger, as long as the observer is retained.
///
/// Signatures are logged at the `trace` level, attempts and credential requests at `debug`, received credentials and
/// successful transfers at `info`, retries and clock corrections at `notice`, and at `warning` failures and credentials
/// that end soon. The logging metadata contains the details, each on one line.
///
/// ```swift
/// let logging = AuthEventLogger(client.events, to: Logger(label: "storage"))
/// ```
public final class AuthEventLogger: Sendable {
  private let observation: EventHub.Observation

  /// Creates an observer and starts logging.
  ///
  /// - Parameters:
  ///   - events: The hub whose events are logged.
  ///   - logger: The logger that receives the events.
  public init(_ events: EventHub, to logger: Logger) { observation = events.observe { $0.write(to: logger) } }

  /// Stops logging events.
  public func stop() { observation.cancel() }
}

extension AuthEvent {
  package func write(to logger: Logger) {
    switch self {
    case .signed(let signature):
      logger.trace(
        "request signed",
        metadata: [
          "subject": "\(signature.subject.onOneLine)", "identity": "\((signature.identity ?? "anonymous").onOneLine)",
          "generation": "\(signature.generation)", "date": "\(signature.date)",
        ])
    case .refresh(let refresh): refresh.write(to: logger)
    case .request(let request):
      var metadata: Logger.Metadata = [
        "subject": "\(request.subject.onOneLine)", "attempt": "\(request.attempt)", "duration": "\(request.duration)",
      ]
      if let status = request.status { metadata["status"] = "\(status)" }
      if let failure = request.failure { metadata["failure"] = "\(failure.onOneLine)" }
      logger.debug("attempt ended", metadata: metadata)
    case .retry(let retry):
      logger.notice(
        "request sent again",
        metadata: [
          "subject": "\(retry.subject.onOneLine)", "attempt": "\(retry.attempt)", "delay": "\(retry.delay)",
          "reason": "\(retry.reason.onOneLine)",
        ])
    case .skew(let skew):
      logger.notice("clock skew updated", metadata: ["host": "\(skew.host.onOneLine)", "offset": "\(skew.offset)"])
    case .transfer(let transfer):
      var metadata: Logger.Metadata = [
        "subject": "\(transfer.subject.onOneLine)", "bytes": "\(transfer.bytes)", "duration": "\(transfer.duration)",
      ]
      if let failure = transfer.failure { metadata["failure"] = "\(failure.onOneLine)" }
      logger.log(level: transfer.failure == nil ? .info : .warning, "transfer ended", metadata: metadata)
    }
  }
}

extension AuthEvent.Refresh {
  fileprivate func write(to logger: Logger) {
    let source: Logger.MetadataValue = "\(source.onOneLine)"
    switch outcome {
    case .started: logger.debug("requesting a credential", metadata: ["source": source])
    case .succeeded(let generation, let lifetime):
      logger.info(
        "credential received",
        metadata: [
          "source": source, "generation": "\(generation)", "lifetime": "\(lifetime.map { "\($0)" } ?? "unlimited")",
        ])
    case .failed(let error, let backoff):
      logger.warning(
        "refresh failed", metadata: ["source": source, "error": "\("\(error)".onOneLine)", "backoff": "\(backoff)"])
    case .ending(let generation, let lifetime):
      logger.warning(
        "credential ends soon",
        metadata: ["source": source, "generation": "\(generation)", "lifetime": "\(lifetime)"])
    }
  }
}
