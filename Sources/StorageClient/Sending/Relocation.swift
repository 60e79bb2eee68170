internal import Synchronization

/// What the copies of a client have learnt about where the service wants to be asked.
final class Relocation<Provider: Sendable>: Sendable {
  private let moved = Mutex<Provider?>(nil)

  /// The provider as the service said that it has to be addressed, or `nil` if it said nothing.
  var provider: Provider? {
    get { moved.withLock { $0 } }
    set { moved.withLock { $0 = newValue } }
  }
}
