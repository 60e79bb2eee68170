// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The rules that determine which signatures a server accepts only once.
///
/// By default, a signature in the headers of a request that changes data is accepted only once, that is, each signature
/// of a method other than GET, HEAD and OPTIONS. Two kinds of signatures may be repeated unless the guard is configured
/// otherwise:
///
/// - reads, because dates in signatures have whole seconds: a client that reads the same object twice within a second
///   sends the same signature twice;
/// - presigned URLs, because they are meant to be used more than once.
///
/// A URL counts as presigned only if the signature covers its placement
/// (`VerifiedRequest.signsPlacement`). A COS authorization can be moved from the header into the URL.
/// Therefore every COS signature that changes data is accepted only once, including the signature of an upload URL.
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
  ///   - owner: A closure that returns the owner whose quota in the store a signature counts against. The default is
  ///     the access key ID. If an account receives many temporary keys, return the account.
  public init(
    _ store: any ReplayStore = MemoryReplayStore(), coversReading: Bool = false, coversURLs: Bool = false,
    owner: @escaping @Sendable (VerifiedRequest) -> String = { $0.accessKeyID.string }
  ) {
    self.store = store
    self.coversReading = coversReading
    self.coversURLs = coversURLs
    self.owner = owner
  }

  /// Throws an error if the signature of a verified request was used before.
  func requireFirstUse(of verified: VerifiedRequest, _ method: HTTPRequest.Method, at date: Timestamp) async throws {
    let isRead = method == .get || method == .head || method == .options
    let isPresignedURL = verified.placement == .query && verified.signsPlacement
    guard coversReading || !isRead, coversURLs || !isPresignedURL else { return }
    let verdict = try await store.insert(
      Self.mark(of: verified), of: owner(verified), from: verified.usableFrom, until: verified.usableUntil, at: date)
    switch verdict {
    case .new: return
    case .used: throw RequestRefusal.replayed
    case .full: throw RequestRefusal.busy
    }
  }

  /// Returns a hash of the key's ID and of the canonical form of the signature, without the signature's placement.
  private static func mark(of verified: VerifiedRequest) -> String {
    SHA256.hash(writing: { writer in
      writer.append(part: verified.accessKeyID.string)
      writer.append(verified.signature.reveal())
    }).hex
  }
}
