internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// Which signatures count once.
///
/// Dates in signatures have whole seconds: who does the same thing twice within one has the same signature twice. That
/// is harmless for what only reads, so by default only what changes something counts once. URLs are made to be used more
/// than once.
public struct ReplayGuard: Sendable {
  private let store: any ReplayStore
  private let coversReading: Bool
  private let coversURLs: Bool

  /// Sets up a guard.
  ///
  /// - Parameters:
  ///   - store: Remembers the signatures.
  ///   - coversReading: Whether signatures of GET, HEAD and OPTIONS count once too.
  ///   - coversURLs: Whether signatures in URLs count once too.
  public init(
    _ store: any ReplayStore = MemoryReplayStore(), coversReading: Bool = false, coversURLs: Bool = false
  ) {
    self.store = store
    self.coversReading = coversReading
    self.coversURLs = coversURLs
  }

  /// Refuses a signature that was used before.
  func check(_ verified: VerifiedRequest, _ method: HTTPRequest.Method, at date: Timestamp) async throws {
    let reads = method == .get || method == .head || method == .options
    guard coversReading || !reads, coversURLs || verified.placement == .header else { return }
    // A signature has one spelling, whatever stands around it in a header; its hash opens nothing.
    let mark = SHA256.hash(writing: { writer in
      writer.append(verified.accessKeyID.string)
      writer.append("\n")
      writer.append(verified.signature.reveal())
    }).hex
    switch try await store.insert(mark, until: verified.usableUntil, at: date) {
    case .new: return
    case .used: throw RequestRefusal.replayed
    case .full: throw RequestRefusal.busy
    }
  }
}
