extension StorageClient: BucketStore where Provider: BucketProvider {
  /// Copies an object inside the service, without its bytes passing through here.
  ///
  /// Services copy objects up to 1 GiB (OSS) or 5 GiB (COS) this way and refuse larger ones. The signer needs the
  /// permissions to get the one and to put the other.
  ///
  /// - Parameters:
  ///   - source: The object.
  ///   - key: The key of the copy, in this bucket.
  ///   - options: What is different about the copy.
  /// - Returns: What the service says about the copy.
  @discardableResult
  public func copy(_ source: CopySource, to key: String, options: CopyOptions) async throws -> CopiedObject {
    try await BucketClient(client: self).copy(source, to: key, options: options)
  }

  /// Whether the bucket exists.
  ///
  /// The signer needs `oss:ListObjects` or `name/cos:GetBucket`.
  public func bucketExists() async throws -> Bool {
    try await BucketClient(client: self).bucketExists()
  }

  /// Makes the bucket, private to its owner.
  ///
  /// The signer needs `oss:PutBucket` or `name/cos:PutBucket`.
  public func createBucket() async throws {
    try await BucketClient(client: self).createBucket()
  }
}
