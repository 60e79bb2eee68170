/// The result of some work, or nothing if it takes too long; the work is cancelled then, and left alone.
///
/// - Parameters:
///   - patience: How long the work may take, by the clock of the machine.
///   - yields: After how many turns of the scheduler the work is cancelled; nothing for never.
///   - work: Runs on a task of its own.
func answered<Value: Sendable>(
  within patience: Duration, cancelledAfter yields: Int? = nil, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
  let (answers, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
  let task = Task {
    continuation.yield(await work())
    continuation.finish()
  }
  let timer = Task {
    try await Task.sleep(for: patience)
    continuation.finish()
    task.cancel()
  }
  defer { timer.cancel() }
  if let yields {
    for _ in 0..<yields { await Task.yield() }
    task.cancel()
  }
  return await answers.first { _ in true }
}
