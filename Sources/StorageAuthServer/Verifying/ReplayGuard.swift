internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// Which signatures count once.
///
/// By default a signature that changes something counts once: each of a method other than GET, HEAD and OPTIONS, in a
/// header. Two things may be repeated unless the guard is told otherwise:
///
/// - reads, because dates in signatures have whole seconds: a client that reads the same object twice within one has the
///   same signature twice;
/// - URLs, because they are made to be used more than once.
///
/// A URL counts as one only where the signature covers its placement (``StorageAuth/VerifiedRequest/signsPlacement``). An
/// authorization of COS can be moved from the header into the URL, so that every signature of COS that changes something
/// counts once, the one of a URL for an upload too.
public struct ReplayGuard: Sendable {
  private let store: any ReplayStore
  private let coversReading: Bool
  private let coversURLs: Bool
  private let owner: @Sendable (VerifiedRequest) -> String

  /// Creates a guard.
  ///
  /// - Parameters:
  ///   - store: Remembers the signatures.
  ///   - coversReading: Whether signatures of GET, HEAD and OPTIONS count once too.
  ///   - coversURLs: Whether signatures in URLs that cannot be moved into a header count once too.
  ///   - owner: Returns whose quota of the store a signature counts against. The default is the id of the key; where one
  ///     account gets many temporary keys, return the account.
  public init(
    _ store: any ReplayStore = MemoryReplayStore(), coversReading: Bool = false, coversURLs: Bool = false,
    owner: @escaping @Sendable (VerifiedRequest) -> String = { $0.accessKeyID.string }
  ) {
    self.store = store
    self.coversReading = coversReading
    self.coversURLs = coversURLs
    self.owner = owner
  }

  /// Refuses a signature that was used before.
  func check(_ verified: VerifiedRequest, _ method: HTTPRequest.Method, at date: Timestamp) async throws {
    let isRead = method == .get || method == .head || method == .options
    let isURL = verified.placement == .query && verified.signsPlacement
    guard coversReading || !isRead, coversURLs || !isURL else { return }
    let verdict = try await store.insert(
      Self.mark(of: verified), of: owner(verified), until: verified.usableUntil, at: date)
    switch verdict {
    case .new: return
    case .used: throw RequestRefusal.replayed
    case .full: throw RequestRefusal.busy
    }
  }

  /// The hash of the key's id and of the signature, whose one spelling verified: the placement is no part of it.
  private static func mark(of verified: VerifiedRequest) -> String {
    SHA256.hash(writing: { writer in
      writer.append(Int64(verified.accessKeyID.utf8.count))
      writer.append("\n")
      writer.append(verified.accessKeyID.string)
      writer.append(verified.signature.reveal())
    }).hex
  }
}
