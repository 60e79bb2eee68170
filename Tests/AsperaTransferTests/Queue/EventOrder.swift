// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaTransfer

extension TransferEvent.Kind {
  /// The name of the event.
  var word: String {
    switch self {
    case .willActivate: "willActivate"
    case .didActivate: "didActivate"
    case .willStartRunning: "willStartRunning"
    case .didStartRunning: "didStartRunning"
    case .willStopRunning: "willStopRunning"
    case .didStopRunning: "didStopRunning"
    case .willDeactivate: "willDeactivate"
    case .didDeactivate: "didDeactivate"
    case .progress: "progress"
    case .file: "file"
    case .tokenIssued(let issuance): "token(\(issuance.reason))"
    case .retry(let retry): "retry(\(retry.cause))"
    case .finished(.success): "done"
    case .finished(.failure(let failure)): failure.kind == .cancelled ? "cancelled" : "failed"
    }
  }
}

/// Validates the order of the events of one session.
struct EventOrder {
  private enum Place {
    case outside, activating, active, connecting, running, stopping, leaving, left
  }

  private var place = Place.outside
  /// The number of times the session has finished.
  private(set) var ends = 0

  /// Records an event and returns the violated rule, or `nil` if the event is valid at this point.
  mutating func problem(with kind: TransferEvent.Kind) -> String? {
    let before = place
    switch (place, kind) {
    case (.outside, .willActivate): place = .activating
    case (.activating, .didActivate): place = .active
    case (.activating, .didDeactivate), (.leaving, .didDeactivate): place = .left
    case (.active, .willStartRunning): place = .connecting
    case (.connecting, .didStartRunning): place = .running
    case (.running, .willStopRunning): place = .stopping
    case (.connecting, .didStopRunning), (.stopping, .didStopRunning): place = .active
    case (.active, .willDeactivate): place = .leaving
    case (.outside, .finished), (.left, .finished):
      ends += 1
      place = .outside
    case (.running, .progress), (.connecting, .file), (.running, .file), (.stopping, .file): break
    case (.activating, .tokenIssued), (.active, .tokenIssued), (.activating, .retry), (.active, .retry): break
    default: return "\(kind.word) while \(before)"
    }
    return nil
  }

  /// The violations of the order of events, including a missing final event.
  static func problems(in kinds: [TransferEvent.Kind]) -> [String] {
    var order = EventOrder()
    let problems = kinds.compactMap { order.problem(with: $0) }
    guard case .finished = kinds.last else { return problems + ["ends with \(kinds.last?.word ?? "no event")"] }
    return problems
  }
}
