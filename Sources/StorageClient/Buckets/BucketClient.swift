internal import HTTPTypes
internal import StorageAuth

/// The operations of a bucket.
struct BucketClient<Provider: BucketProvider>: BucketStore {
  let client: StorageClient<Provider>

  var provider: Provider { client.provider }
  var configuration: StorageClientConfiguration { client.configuration }

  /// Creates a request for an object, or for the bucket, with a body in memory.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - key: The key of the object, or `nil` for the bucket.
  ///   - parameters: The query.
  ///   - request: The request of an operation that it is; empty for one that is about no single object.
  ///   - headers: The headers of the operation.
  ///   - body: The body.
  ///   - checksum: The checksum that the provider's headers tell; that of the body if `nil`.
  ///   - isRepeatable: Whether it does no harm to send it again when nobody knows whether it arrived.
  func draft(
    _ method: HTTPRequest.Method, _ key: String? = nil, _ parameters: [RequestTarget.Parameter] = [],
    for request: HeaderScope = [], headers: HTTPFields = [:], body: [UInt8] = [], checksum: ObjectChecksum? = nil,
    isRepeatable: Bool = true
  ) throws(SigningError) -> RequestDraft {
    var digest = BodyDigest.of(body, provider.digests, provider.dialect.algorithm)
    if let checksum { digest.checksum = checksum }
    return try draft(
      method, key, parameters, headers: headers.adding(provider.headers(of: request, body: digest, alongside: headers)),
      body: body.isEmpty ? .none : .bytes(body), isRepeatable: isRepeatable)
  }

  /// Creates a request to store a body that is streamed.
  func draft(
    putting payload: any UploadPayload, _ key: String, _ parameters: [RequestTarget.Parameter] = [],
    for request: HeaderScope, headers: HTTPFields, isRepeatable: Bool = true
  ) async throws -> RequestDraft {
    let digest = try await BodyDigest.of(payload, provider.digests, provider.dialect.algorithm)
    return try draft(
      .put, key, parameters, headers: headers.adding(provider.headers(of: request, body: digest, alongside: headers)),
      body: .none, isRepeatable: isRepeatable)
  }

  private func draft(
    _ method: HTTPRequest.Method, _ key: String?, _ parameters: [RequestTarget.Parameter], headers: HTTPFields,
    body: HTTPBody, isRepeatable: Bool
  ) throws(SigningError) -> RequestDraft {
    let endpoint = try provider.endpoint
    let request = try endpoint.request(
      method, bucket: provider.bucket, key: key, parameters: parameters, headers: headers)
    var draft = RequestDraft(
      request, to: endpoint, at: client.location(ofKey: key), body: body, isRepeatable: isRepeatable)
    draft.forbidsOverwriting = provider.dialect.forbidOverwrite.map { headers[$0.name] == $0.value } ?? false
    return draft
  }
}

extension RequestTarget.Parameter {
  init(_ name: String, _ value: String? = nil) {
    self.init(name: name, value: value)
  }
}

extension HTTPFields {
  /// The fields, and others that replace those of the same name.
  fileprivate func adding(_ others: HTTPFields) -> HTTPFields {
    var fields = self
    for field in others { fields[field.name] = field.value }
    return fields
  }
}
