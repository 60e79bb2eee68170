internal import HTTPTypes
internal import StorageAuth

/// The operations of a bucket of OSS or COS.
struct BucketClient<Provider: BucketProvider>: BucketStore {
  let client: StorageClient<Provider>

  var provider: Provider { client.provider }
  var configuration: StorageClientConfiguration { client.configuration }

  /// A request for an object, or for the bucket.
  func draft(
    _ method: HTTPRequest.Method, _ key: String? = nil, _ parameters: [RequestTarget.Parameter] = [],
    headers: HTTPFields = [:], body: HTTPBody = .none, isRepeatable: Bool = true
  ) throws(SigningError) -> RequestDraft {
    let request = try provider.endpoint.request(
      method, bucket: provider.bucket, key: key, parameters: parameters, headers: headers)
    return RequestDraft(request, at: client.location(ofKey: key), body: body, isRepeatable: isRepeatable)
  }
}

extension RequestTarget.Parameter {
  init(_ name: String, _ value: String? = nil) {
    self.init(name: name, value: value)
  }
}
