/// The events of a queue, from the moment when they were asked for.
///
/// Each observer asks for its own. A slow reader loses nothing but progress that is out of date. The events of one
/// session come in order. The sequence ends when its queue is shut down, and the one of a `run` when its sessions are
/// over.
public struct TransferEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = TransferEvent

  /// Never: a session that fails is an event.
  public typealias Failure = Never

  let reader: Reader

  /// Starts an iteration; several of one sequence share the events between them.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: reader)
  }

  /// Walks over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: Reader

    /// The next event, or nothing at the end or when the task is cancelled.
    public mutating func next() async -> TransferEvent? {
      guard let event = await reader.buffer.next() else {
        reader.leave()
        return nil
      }
      return event
    }

    /// The next event, on the actor of the caller.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferEvent? {
      await next()
    }
  }

  /// Whoever reads; released, it does not observe any more.
  final class Reader: Sendable {
    let buffer: EventBuffer
    private let end: @Sendable () -> Void

    init(_ buffer: EventBuffer, end: @escaping @Sendable () -> Void) {
      self.buffer = buffer
      self.end = end
    }

    /// Nothing is read any more; saying it twice does no harm.
    func leave() { end() }

    deinit { end() }
  }
}
