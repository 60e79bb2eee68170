// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A store of used signatures, so that none is accepted twice.
///
/// ``MemoryReplayStore`` stores them in memory. Instances of a service that share no store accept a signature once
/// each; if that is not acceptable, implement this protocol with a shared store. A store limits the space of each
/// owner, because the holder of a key can sign any number of requests.
public protocol ReplayStore: Sendable {
  /// Records that a signature was used.
  ///
  /// - Parameters:
  ///   - mark: The hash of the signature, which gives no access.
  ///   - owner: The owner whose quota the mark counts against: the ID of the key, unless the guard is configured
  ///     otherwise.
  ///   - end: The last time at which the signature is accepted; the mark may be removed after it.
  ///   - date: The current time.
  /// - Returns: Whether the signature is new, was used before, or does not fit into the owner's quota.
  /// - Throws: An error of the store, which fails the request.
  func insert(
    _ mark: String, of owner: String, until end: Timestamp, at date: Timestamp
  ) async throws -> ReplayVerdict
}

/// The result of recording a signature in a replay store.
public enum ReplayVerdict: Sendable, Hashable {
  /// The signature was not used before and is now recorded.
  case new
  /// The signature was used before, or may have been.
  case used
  /// The signature is not recorded, and its owner has no space left for it.
  case full
}
