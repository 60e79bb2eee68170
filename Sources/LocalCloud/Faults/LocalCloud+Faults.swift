// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// The faults that the server injects; none by default.
  ///
  /// ```swift
  /// cloud.faults[.sts] = [.serverError(.every(10)), .delay(.seconds(2), .chance(0.05))]
  /// cloud.faults.requestsPerToken = 100
  /// ```
  public struct Faults: Sendable, Hashable {
    /// The offset of the server's clock from the configured clock; negative for a clock that is behind.
    ///
    /// It affects everything that depends on time: `Date` headers, validity periods of signatures, and expirations of
    /// tokens.
    public var clockOffset: Duration

    /// The number of requests after which an issued token counts as expired; 0 means at once, `nil` means never.
    ///
    /// Each request to a storage service that names the token's key is counted, even if the service rejects it. The
    /// limit is read when a request arrives, so that it also applies to tokens that were issued before it was set.
    public var requestsPerToken: Int?

    /// The seed of the random number generator; the same seed and the same order of requests result in the same faults.
    public var seed: UInt64

    /// The faults of Aspera transfers; the first one in the list that applies to a transfer takes effect.
    public var transfers: [TransferFault]

    private var lists: [Endpoint: [Fault]] = [:]

    /// Creates a configuration without faults of endpoints.
    ///
    /// - Parameters:
    ///   - clockOffset: The offset of the server's clock; negative for a clock that is behind.
    ///   - requestsPerToken: The number of requests after which an issued token counts as expired, or `nil` for no
    ///     limit.
    ///   - seed: The seed of the random number generator.
    ///   - transfers: The faults of Aspera transfers.
    public init(
      clockOffset: Duration = .zero, requestsPerToken: Int? = nil, seed: UInt64 = 0, transfers: [TransferFault] = []
    ) {
      self.clockOffset = clockOffset
      self.requestsPerToken = requestsPerToken
      self.seed = seed
      self.transfers = transfers
    }

    /// The faults of an endpoint.
    ///
    /// Each fault counts the requests of the endpoint separately. If several apply to one request, all delays add up,
    /// and of the other faults only the first one in the list takes effect.
    public subscript(endpoint: Endpoint) -> [Fault] {
      get { lists[endpoint] ?? [] }
      set { lists[endpoint] = newValue.isEmpty ? nil : newValue }
    }
  }
}
