internal import Synchronization

extension LocalCloud {
  /// A scheme of signatures.
  public enum SignatureKind: String, Sendable, Hashable, CaseIterable {
    /// OSS version 4, HMAC-SHA-256.
    case ossV4 = "OSS V4"
    /// OSS version 1, HMAC-SHA-1.
    case ossV1 = "OSS V1"
    /// COS version 5, HMAC-SHA-1.
    case cosV5 = "COS V5"
  }

  /// What a server verified and refused since it started.
  public struct Statistics: Sendable, Hashable {
    /// The requests whose signature was right, by scheme.
    public internal(set) var verified: [SignatureKind: Int] = [:]

    /// The requests without a signature that were let through, to read what is open to everybody.
    public internal(set) var anonymous = 0

    /// The errors that were answered, by the code that the client saw.
    public internal(set) var refused: [String: Int] = [:]

    /// The number of requests whose signature was right.
    public var verifiedCount: Int { verified.values.reduce(0, +) }
  }
}

/// Counts what happens.
final class Counters: Sendable {
  private let state = Mutex(LocalCloud.Statistics())

  var statistics: LocalCloud.Statistics { state.withLock { $0 } }

  func verified(_ kind: LocalCloud.SignatureKind) {
    state.withLock { $0.verified[kind, default: 0] += 1 }
  }

  func anonymous() {
    state.withLock { $0.anonymous += 1 }
  }

  func refused(_ code: String) {
    state.withLock { $0.refused[code, default: 0] += 1 }
  }
}
