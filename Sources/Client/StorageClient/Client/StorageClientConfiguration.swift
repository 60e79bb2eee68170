// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The configuration of a storage client: concurrency limits, part sizes and retry settings.
public struct StorageClientConfiguration: Sendable, Hashable {
  /// The maximum number of requests in flight, at least 1.
  ///
  /// A request is in flight until the end of its response. An upload that reads a download of the same client needs a
  /// second request: run fewer such copies at a time. A client has fewer requests in flight if the process may not open
  /// enough files and connections (`RLIMIT_NOFILE`).
  public var requestsInFlight: Int { didSet { requestsInFlight = max(1, requestsInFlight) } }

  /// The maximum number of parts that one upload or download transfers concurrently, at least 1.
  public var partsInFlight: Int { didSet { partsInFlight = max(1, partsInFlight) } }
  /// The object size, in bytes, from which objects are transferred in parts; uploads of more than 5 GiB always are.
  public var multipartThreshold: Int64
  /// The size of a part in bytes, at least 100 KiB; parts are larger if an object would have more than 10,000 parts.
  public var partSize: Int64 { didSet { partSize = max(Self.minimumPartSize, partSize) } }
  /// The maximum number of entries that a listing requests per page, from 1 to 1,000.
  public var keysPerPage: Int { didSet { keysPerPage = min(max(1, keysPerPage), 1000) } }

  /// The maximum number of attempts to send a request if the service or the network fails.
  ///
  /// A value of 1 disables retries. An attempt with a new signature is not counted: a request is signed again at most
  /// once with a corrected clock, and at most once between two counted attempts with a refreshed credential.
  public var attempts: Int { didSet { attempts = max(1, attempts) } }

  /// The delay before the second attempt to send a request, doubled before each later attempt.
  ///
  /// A random fraction of up to one half is subtracted, so that many clients do not retry at the same time.
  public var retryDelay: Duration

  /// The maximum delay before an attempt; if a service requests a longer delay (`Retry-After`), the request fails.
  public var longestRetryDelay: Duration

  /// Returns whether an object of a length in bytes is uploaded in parts; an upload of a single part is not.
  func uploadsInParts(_ length: Int64) -> Bool {
    length > PartSizes.partByteLimit || (length >= max(multipartThreshold, 1) && length > partSize)
  }

  /// The minimum part size in bytes that OSS accepts; COS requires larger parts, except for the last part.
  private static let minimumPartSize: Int64 = 100 * 1024

  /// Creates a configuration whose values are the nearest valid ones; the parameters are the properties.
  public init(
    requestsInFlight: Int = 16, partsInFlight: Int = 4, multipartThreshold: Int64 = 16 << 20, partSize: Int64 = 8 << 20,
    keysPerPage: Int = 1000, attempts: Int = 3, retryDelay: Duration = .milliseconds(200),
    longestRetryDelay: Duration = .seconds(20)
  ) {
    self.requestsInFlight = max(1, requestsInFlight)
    self.partsInFlight = max(1, partsInFlight)
    self.multipartThreshold = multipartThreshold
    self.partSize = max(Self.minimumPartSize, partSize)
    self.keysPerPage = min(max(1, keysPerPage), 1000)
    self.attempts = max(1, attempts)
    self.retryDelay = max(.zero, retryDelay)
    self.longestRetryDelay = max(.zero, longestRetryDelay)
  }
}
