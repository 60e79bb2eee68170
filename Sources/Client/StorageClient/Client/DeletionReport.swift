// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The result of deleting several objects.
public struct DeletionReport: Sendable, Hashable {
  /// The maximum number of keys that the services accept in one deletion request.
  package static let batchSize = 1_000

  /// The keys whose objects were deleted or did not exist.
  public package(set) var deleted: [String]
  /// The keys that could not be deleted, with the reasons.
  public package(set) var failures: [Failure]

  /// A key that could not be deleted, and the reason.
  public struct Failure: Sendable, Hashable {
    /// The key that could not be deleted.
    public let key: String
    /// The provider's error code for the key.
    public let code: String
    /// The provider's error message for the key.
    public let message: String

    /// Creates a failure; the parameters are the properties.
    public init(key: String, code: String, message: String) {
      self.key = key
      self.code = code
      self.message = message
    }

    package init(_ key: String, _ error: ServiceError) {
      self.init(key: key, code: error.code, message: error.message)
    }
  }

  /// Creates the report of an ``ObjectStore`` implementation; the parameters are the properties.
  public init(deleted: [String] = [], failures: [Failure] = []) {
    self.deleted = deleted
    self.failures = failures
  }
}

extension DeletionReport {
  /// Adds the service's report on one request; keys that the report does not contain were deleted.
  mutating func add(_ report: DeletionReport, requested keys: ArraySlice<String>) throws(StorageError) {
    let requestedKeys = Set(keys.map { Array($0.utf8) })
    for key in report.deleted + report.failures.map(\.key) where !requestedKeys.contains(Array(key.utf8)) {
      throw StorageError.contradiction("it is about the deletion of \(key.quotedExcerpt), which was not requested")
    }
    let failedKeys = Set(report.failures.map { Array($0.key.utf8) })
    failures += report.failures
    deleted += keys.filter { !failedKeys.contains(Array($0.utf8)) }
  }
}
