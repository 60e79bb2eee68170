public import HTTPTypes
public import StorageAuth

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
