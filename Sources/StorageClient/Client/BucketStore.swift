/// A store that is a bucket: it can be made, and objects are copied inside the service.
///
/// Clients of OSS and COS are one. A client of Aspera is not: asking it for a copy does not compile.
public protocol BucketStore: ObjectStore {
  /// Copies an object inside the service, without its bytes passing through here.
  ///
  /// - Parameters:
  ///   - source: The object.
  ///   - key: The key of the copy, in this bucket.
  ///   - options: What is different about the copy.
  /// - Returns: What the service says about the copy.
  @discardableResult
  func copy(_ source: CopySource, to key: String, options: CopyOptions) async throws -> CopiedObject

  /// Whether the bucket exists.
  func bucketExists() async throws -> Bool

  /// Makes the bucket, private to its owner.
  func createBucket() async throws
}

extension BucketStore {
  /// Copies an object inside the bucket.
  ///
  /// - Parameters:
  ///   - source: The key of the object.
  ///   - key: The key of the copy.
  ///   - options: What is different about the copy.
  /// - Returns: What the service says about the copy.
  @discardableResult
  public func copy(
    from source: String, to key: String, options: CopyOptions = CopyOptions()
  ) async throws -> CopiedObject {
    try await copy(CopySource(key: source), to: key, options: options)
  }
}
