// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// The faults that the server injects into requests and transfers.
  ///
  /// By default, the server injects no faults.
  ///
  /// ```swift
  /// cloud.faults[.sts] = [.serverError(.every(10)), .delay(.seconds(2), .chance(0.05))]
  /// cloud.faults.requestsPerToken = 100
  /// ```
  public struct Faults: Sendable, Hashable {
    /// The offset of the server's clock from the configured clock; a negative offset means that the server's clock is
    /// behind.
    ///
    /// The offset affects everything that depends on time: `Date` headers, validity periods of signatures, and token
    /// expirations.
    public var clockOffset: Duration

    /// The number of requests after which an issued temporary credential counts as expired.
    ///
    /// 0 means that the credential expires immediately, and `nil` means that it doesn't expire because of requests.
    /// Each request to a storage service that contains the credential's key ID counts, even if the service rejects the
    /// request. The limit is read when a request arrives, so that it also applies to credentials that were issued
    /// before the limit was set.
    public var requestsPerToken: Int?

    /// The seed of the random number generator that selects the requests for faults with `chance`.
    ///
    /// The same seed and the same order of requests result in the same faults.
    public var seed: UInt64

    /// The faults of Aspera transfers; the first fault in the list that applies to a transfer takes effect.
    public var transfers: [TransferFault]

    private var lists: [Endpoint: [Fault]] = [:]

    /// Creates a fault configuration in which no endpoint has faults yet.
    ///
    /// - Parameters:
    ///   - clockOffset: The offset of the server's clock; negative if the server's clock is behind.
    ///   - requestsPerToken: The number of requests after which an issued temporary credential counts as expired, or
    ///     `nil` for no limit.
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

    /// The faults that the server injects into requests to an endpoint.
    ///
    /// Each fault counts the requests to the endpoint separately. If several faults apply to one request, all delays
    /// add up. Of the other faults, only the first fault in the list takes effect.
    ///
    /// - Parameter endpoint: The endpoint, such as `.sts`.
    public subscript(endpoint: Endpoint) -> [Fault] {
      get { lists[endpoint] ?? [] }
      set { lists[endpoint] = newValue.isEmpty ? nil : newValue }
    }
  }
}
