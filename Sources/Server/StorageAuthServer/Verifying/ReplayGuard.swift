// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The rules that determine which signatures a server accepts only once.
///
/// By default, these are the signatures in the headers of requests that change data, that is, of methods other than
/// GET, HEAD and OPTIONS. Two kinds of signatures may be repeated unless the guard is configured otherwise:
///
/// - reads: dates have whole seconds, so a client that reads an object twice in a second sends the same signature;
/// - presigned URLs, which are meant to be used more than once.
///
/// A URL counts as presigned only if the signature covers its placement (`VerifiedRequest.signsPlacement`). A COS
/// authorization can be moved into the URL, so every COS signature that changes data, even in a URL, is accepted once.
public struct ReplayGuard: Sendable {
  private let store: any ReplayStore
  private let coversReading: Bool
  private let coversURLs: Bool
  private let owner: @Sendable (VerifiedRequest) -> String

  /// Creates a replay guard.
  ///
  /// - Parameters:
  ///   - store: The store of used signatures.
  ///   - coversReading: Whether signatures of GET, HEAD and OPTIONS are also accepted only once.
  ///   - coversURLs: Whether signatures in URLs that cannot be moved into a header are also accepted only once.
  ///   - owner: A closure that returns the owner whose quota a signature counts against: by default the access key ID.
  ///     If an account receives many temporary keys, return the account.
  public init(
    _ store: any ReplayStore = MemoryReplayStore(), coversReading: Bool = false, coversURLs: Bool = false,
    owner: @escaping @Sendable (VerifiedRequest) -> String = { $0.accessKeyID.string }
  ) {
    self.store = store
    self.coversReading = coversReading
    self.coversURLs = coversURLs
    self.owner = owner
  }

  func requireFirstUse(of verified: VerifiedRequest, _ method: HTTPRequest.Method, at date: Timestamp) async throws {
    let isRead = method == .get || method == .head || method == .options
    let isPresignedURL = verified.placement == .query && verified.signsPlacement
    guard coversReading || !isRead, coversURLs || !isPresignedURL else { return }
    let verdict = try await store.insert(
      Self.mark(of: verified), of: owner(verified), from: verified.usableFrom, until: verified.usableUntil, at: date)
    switch verdict {
    case .new: return
    case .used: throw RequestRefusal.replayed
    case .full: throw RequestRefusal.ownerQuotaExceeded
    }
  }

  /// Returns a hash of the key's ID and of the canonical signature, without its placement.
  private static func mark(of verified: VerifiedRequest) -> String {
    SHA256.hash(writing: { writer in
      writer.append(part: verified.accessKeyID.string)
      writer.append(verified.signature.reveal())
    }).hex
  }
}
