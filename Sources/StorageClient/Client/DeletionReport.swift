/// What became of the objects that were to be deleted.
public struct DeletionReport: Sendable, Hashable {
  /// The keys that are gone, or were never there.
  public internal(set) var deleted: [String]

  /// The keys that could not be deleted.
  public internal(set) var failures: [Failure]

  /// A key that could not be deleted, and why.
  public struct Failure: Sendable, Hashable {
    /// The key.
    public let key: String

    /// The provider's code.
    public let code: String

    /// The provider's message.
    public let message: String

    /// Reports; for stores.
    public init(key: String, code: String, message: String) {
      self.key = key
      self.code = code
      self.message = message
    }
  }

  /// Reports; for stores.
  public init(deleted: [String] = [], failures: [Failure] = []) {
    self.deleted = deleted
    self.failures = failures
  }
}
