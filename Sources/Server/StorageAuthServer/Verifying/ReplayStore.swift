// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A type that stores used signatures, so that no signature is accepted twice.
///
/// ``MemoryReplayStore`` stores the signatures in memory. If the instances of a service do not share a store, each
/// instance accepts a signature once. If that is not acceptable, implement this protocol with a shared store. A store
/// limits the space of each owner, because the holder of a key can sign any number of requests.
public protocol ReplayStore: Sendable {
  /// Records that a signature was used.
  ///
  /// - Parameters:
  ///   - mark: The hash of the signature, which gives no access.
  ///   - owner: The owner whose quota the mark counts against: the access key ID, unless the guard is configured
  ///     otherwise.
  ///   - start: The first time at which the signature may have been accepted, or `nil` if it is not known. A store that
  ///     may have lost its marks needs it.
  ///   - end: The last time at which the signature is accepted. The mark may be removed after this time.
  ///   - date: The current time.
  /// - Returns: A verdict that tells whether the signature is new, was used before, or exceeds the owner's quota.
  /// - Throws: A ``StoreError`` if the store is out of reach or may have lost the mark, which refuses the request.
  func insert(
    _ mark: String, of owner: String, from start: Timestamp?, until end: Timestamp, at date: Timestamp
  ) async throws(StoreError) -> ReplayVerdict
}

/// The result of recording a signature in a replay store.
public enum ReplayVerdict: Sendable, Hashable {
  /// The signature was not used before and is now recorded.
  case new
  /// The signature was used before, or may have been used before.
  case used
  /// The signature was not recorded, because it exceeds the owner's quota.
  case full
}
