public import HTTPTypes
public import StorageAuth

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

extension StorageClient where Provider: PresigningProvider {
  /// Makes a URL with which whoever has it can do one thing for some time, without a key.
  ///
  /// The URL has the rights of the signer: for `GET` and `HEAD` it needs `oss:GetObject` or `name/cos:GetObject` (and
  /// `name/cos:HeadObject`), for `PUT` `oss:PutObject` or `name/cos:PutObject`, for `DELETE` `oss:DeleteObject` or
  /// `name/cos:DeleteObject`. No network is used, except perhaps by the source of the
  /// credential and by a signer that is elsewhere.
  ///
  /// ```swift
  /// let upload = try await client.presign(.put, "cat.jpg", contentType: "image/jpeg", validFor: .seconds(30 * 60))
  /// // send the bytes with upload.method to upload.url, with upload.headers
  /// ```
  ///
  /// - Parameters:
  ///   - method: What the URL is for.
  ///   - key: The key of the object.
  ///   - contentType: The media type that has to be sent along; if not given, OSS expects that none is sent.
  ///   - contentMD5: The MD5 of the bytes in Base64, if only these bytes may be sent.
  ///   - headers: Further headers that have to be sent along, such as metadata.
  ///   - parameters: Further query parameters, such as `response-content-disposition`.
  ///   - duration: How long the URL works: with OSS V4 up to 7 days, or 12 hours with a temporary key; never longer than
  ///     the credential lives.
  /// - Returns: The method, the URL, the headers that have to be sent along, and when it stops working.
  /// - Throws: A `SigningError` if the URL cannot be made so; a `CredentialError` if there is no credential; a
  ///   ``StorageError`` if a session token would travel in clear.
  public func presign(
    _ method: HTTPRequest.Method, _ key: String, contentType: String? = nil, contentMD5: String? = nil,
    headers: HTTPFields = [:], parameters: [RequestTarget.Parameter] = [], validFor duration: Duration
  ) async throws -> PresignedRequest {
    var fields = headers
    try fields.set(.contentType, to: contentType)
    try fields.set(.contentMD5, to: contentMD5)
    let request = try provider.endpoint.request(
      method, bucket: provider.bucket, key: key, parameters: parameters, headers: fields)
    let date = try serviceTime().date
    let end = provider.presigner.requiredValidity(from: date, validFor: duration)
    var cached = try await credential(lasting: date.duration(to: end))
    if let remoteSigner {
      return try await signElsewhere(as: &cached) { proof, context in
        try await remoteSigner.presign(request, as: proof, validFor: duration, in: context)
      }.result
    }
    let context = SigningContext(date: try serviceTime().date)
    return try provider.presigner.presign(request, with: cached.credential, validFor: duration, in: context)
  }
}
