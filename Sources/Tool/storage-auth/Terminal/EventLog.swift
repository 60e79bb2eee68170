// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

enum EventLog {
  /// The observations, which end when they are released.
  private static let observations = Lock<[EventHub.Observation]>([])

  /// Prints a note for each repeated attempt of a transfer with ascp, which can take a long time.
  static func noteRetries(_ events: EventHub) {
    let observation = events.observe { event in
      guard case .retry(let retry) = event else { return }
      Terminal.printNote("note: \(retry.reason) Attempt \(retry.attempt) follows in \(retry.delay).")
    }
    observations.withLock { $0.append(observation) }
  }

  /// Prints a line for each retry, new credential and clock skew, with `--verbose` only.
  static func traceEvents(of events: EventHub) {
    guard Terminal.mode.isVerbose else { return }
    let observation = events.observe { event in
      switch event {
      case .retry(let retry):
        let (subject, reason) = (retry.subject, retry.reason)
        Terminal.printTrace(
          "\(subject) is sent again, attempt \(retry.attempt) in \(retry.delay): \(reason)",
          ["retry": ["subject": .string(subject), "attempt": .integer(retry.attempt), "reason": .string(reason)]])
      case .refresh(let refresh):
        guard case .succeeded(_, let lifetime) = refresh.outcome else { return }
        Terminal.printTrace(
          "credential from \(refresh.source), \(lifetime.map { "valid for \($0)" } ?? "valid indefinitely")",
          ["credential": ["source": .string(refresh.source)]])
      case .skew(let skew):
        Terminal.printTrace(
          "the clock of \(skew.host) differs by \(skew.offset)",
          ["clockSkew": ["host": .string(skew.host), "offset": .string("\(skew.offset)")]])
      default: break
      }
    }
    observations.withLock { $0.append(observation) }
  }
}

/// A transport that prints each request with `--verbose`, but no headers and no query, which contain signatures.
struct LoggedTransport: HTTPTransport {
  let base: any HTTPTransport

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    guard Terminal.mode.isVerbose else { return try await base.send(request, body: body) }
    let start = ContinuousClock.now
    do throws(TransportError) {
      let response = try await base.send(request, body: body)
      let status = response.response.status.code
      trace(request, since: start, "\(status)", .integer(status))
      return response
    } catch {
      trace(request, since: start, "\(error.code)", .string("\(error.code)"))
      throw error
    }
  }

  private func trace(
    _ request: HTTPRequest, since start: ContinuousClock.Instant, _ outcome: String, _ status: JSONValue
  ) {
    let milliseconds = (ContinuousClock.now - start).milliseconds
    let path = (request.path ?? "/").prefix { $0 != "?" }
    let url = "\(request.scheme ?? "https")://\(request.authority ?? "")\(path)"
    Terminal.printTrace(
      "\(request.method.rawValue) \(url) \(outcome) in \(milliseconds) ms",
      [
        "request": [
          "method": .string(request.method.rawValue), "url": .string(url), "status": status,
          "milliseconds": .integer(milliseconds),
        ]
      ])
  }
}
