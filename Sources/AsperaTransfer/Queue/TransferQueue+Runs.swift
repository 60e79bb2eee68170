public import AsperaAuth
internal import StorageAuth

extension TransferQueue {
  /// Runs sessions and tells what happens to them.
  ///
  /// The sequence ends when all of them are over; they leave the queue then. Whoever stops reading before that, or is
  /// cancelled, cancels them.
  ///
  /// ```swift
  /// for await event in queue.run(sessions) {
  ///   if case .finished(let result) = event.kind { print(event.session, result) }
  /// }
  /// ```
  ///
  /// - Parameter sessions: The sessions; one whose id is in the queue already gets a number after it.
  /// - Returns: The events of these sessions.
  public func run(_ sessions: [TransferSession]) -> TransferEvents {
    let batch = state.withLock { $0.nextNumber() }
    let events = observe(batch)
    perform { state, uptime in
      let ids = sessions.reduce(into: []) { $0.append(state.freeID(for: $1.id, besides: $0)) }
      state.batches[batch] = QueueBatch(members: ids, open: Set(ids))
      state.touched.insert(batch)
      let effects = zip(ids, sessions).flatMap { id, session in
        state.add(record(of: session, batch: batch), as: id, at: uptime)
      }
      return ((), effects)
    }
    return events
  }

  /// Runs transfers that need nothing but the account and the issuer of the queue.
  ///
  /// - Parameter specifications: The transfers.
  /// - Returns: Their events; a session is called by the place of its transfer, from `1` on.
  public func run(_ specifications: [TransferSpec]) -> TransferEvents {
    run(specifications.enumerated().map { place, spec in TransferSession(spec, id: "\(place + 1)") })
  }
}
