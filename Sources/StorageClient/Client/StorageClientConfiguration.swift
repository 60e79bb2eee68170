/// How a client works: what it does at once, what it cuts into parts, how often it tries.
public struct StorageClientConfiguration: Sendable, Hashable {
  /// The most requests that are under way at once, counted until the end of their answers; at least 1.
  public var requestsInFlight: Int {
    didSet { requestsInFlight = max(1, requestsInFlight) }
  }

  /// The most parts of one upload or download that are under way at once; at least 1.
  public var partsInFlight: Int {
    didSet { partsInFlight = max(1, partsInFlight) }
  }

  /// From how many bytes on an object is moved in parts.
  public var multipartThreshold: Int64

  /// The size of a part in bytes, at least 100 KiB; larger where an object would have more than 10,000 parts.
  public var partSize: Int64 {
    didSet { partSize = max(Self.smallestPart, partSize) }
  }

  /// The most entries that a page of a listing is asked for, from 1 to 1,000.
  public var keysPerPage: Int {
    didSet { keysPerPage = min(max(1, keysPerPage), 1000) }
  }

  /// How often a request is sent at most, when the service or the network fails; 1 means that nothing is repeated.
  ///
  /// A request that is signed again, with a renewed credential or a corrected clock, does not count: each of the two is
  /// done once.
  public var attempts: Int {
    didSet { attempts = max(1, attempts) }
  }

  /// How long to wait before the second attempt; twice as long before each further one.
  ///
  /// A random part of up to a half is taken off, so that many clients do not come back at once.
  public var retryDelay: Duration

  /// The longest that is waited before an attempt; a service that asks for more (`Retry-After`) is not asked again.
  public var longestRetryDelay: Duration

  /// The smallest part that OSS accepts; COS asks for more of all parts but the last.
  private static let smallestPart: Int64 = 100 * 1024

  /// Sets how a client works; values that make no sense are replaced by the nearest that does.
  public init(
    requestsInFlight: Int = 16, partsInFlight: Int = 4, multipartThreshold: Int64 = 16 << 20, partSize: Int64 = 8 << 20,
    keysPerPage: Int = 1000, attempts: Int = 3, retryDelay: Duration = .milliseconds(200),
    longestRetryDelay: Duration = .seconds(20)
  ) {
    self.requestsInFlight = max(1, requestsInFlight)
    self.partsInFlight = max(1, partsInFlight)
    self.multipartThreshold = multipartThreshold
    self.partSize = max(Self.smallestPart, partSize)
    self.keysPerPage = min(max(1, keysPerPage), 1000)
    self.attempts = max(1, attempts)
    self.retryDelay = max(.zero, retryDelay)
    self.longestRetryDelay = max(.zero, longestRetryDelay)
  }
}
