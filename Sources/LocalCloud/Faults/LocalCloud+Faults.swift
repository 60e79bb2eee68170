extension LocalCloud {
  /// What is to go wrong; by default nothing does.
  ///
  /// ```swift
  /// cloud.faults[.sts] = [.serverError(.every(10)), .delay(.seconds(2), .chance(0.05))]
  /// cloud.faults.requestsPerToken = 100
  /// ```
  public struct Faults: Sendable, Hashable {
    /// How far the clock of the whole cloud is ahead of the configured one; negative for behind.
    ///
    /// Everything follows it: the Date headers, the windows of signatures, the expirations of tokens.
    public var clockOffset: Duration

    /// After how many requests an issued token counts as expired, before its time; 0 means at once, nothing never.
    ///
    /// Every request to a storage service that names the token's key counts, also a refused one. The limit is read when a request
    /// arrives, so that it also holds for tokens that were issued before it was set.
    public var requestsPerToken: Int?

    /// What the chances are drawn from; the same seed and the same order of requests give the same faults.
    public var seed: UInt64

    /// The failures of transfers of Aspera; the first of the list that falls on a transfer is what happens to it.
    public var transfers: [TransferFault]

    private var lists: [Endpoint: [Fault]] = [:]

    /// Makes a plan without any fault of an endpoint.
    ///
    /// - Parameters:
    ///   - clockOffset: How far the clock of the cloud is ahead.
    ///   - requestsPerToken: After how many requests an issued token counts as expired.
    ///   - seed: What the chances are drawn from.
    ///   - transfers: The failures of transfers of Aspera.
    public init(
      clockOffset: Duration = .zero, requestsPerToken: Int? = nil, seed: UInt64 = 0, transfers: [TransferFault] = []
    ) {
      self.clockOffset = clockOffset
      self.requestsPerToken = requestsPerToken
      self.seed = seed
      self.transfers = transfers
    }

    /// The faults of one endpoint.
    ///
    /// Each of them counts the requests of the endpoint by itself. Where several fall on one request, delays add up, and of
    /// the others the first of the list is what happens.
    public subscript(endpoint: Endpoint) -> [Fault] {
      get { lists[endpoint] ?? [] }
      set { lists[endpoint] = newValue.isEmpty ? nil : newValue }
    }
  }
}
