public import StorageAuth

/// Remembers signatures that were used, so that none counts twice.
///
/// ``MemoryReplayStore`` keeps them in memory. Instances of a service that share nothing each accept a signature once;
/// where that is too often, put a store that they share behind this protocol. A store bounds what one owner can take up:
/// the holder of a key can sign as many requests as it likes.
public protocol ReplayStore: Sendable {
  /// Records that a signature was used.
  ///
  /// - Parameters:
  ///   - mark: The signature's hash, which opens nothing.
  ///   - owner: Whose quota the mark counts against: the id of the key, unless the guard says otherwise.
  ///   - end: The last instant at which the signature is accepted; the mark may be forgotten after it.
  ///   - date: The present.
  /// - Returns: Whether the signature was used before.
  /// - Throws: An error of the store, which fails the request.
  func insert(
    _ mark: String, of owner: String, until end: Timestamp, at date: Timestamp
  ) async throws -> ReplayVerdict
}

/// What a store of used signatures says of one.
public enum ReplayVerdict: Sendable, Hashable {
  /// It was not used before, and is recorded now.
  case new
  /// It was used before, or may have been.
  case used
  /// It is not known, and its owner has no room for it.
  case full
}
