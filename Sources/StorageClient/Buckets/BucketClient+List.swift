internal import HTTPTypes
internal import StorageAuth
internal import StorageXML

extension BucketClient {
  /// Lists objects, in the order of the bytes of their keys; pages are fetched as they are needed.
  func list(prefix: String, delimiter: String?) -> ObjectListing {
    ObjectListing { [self] continuation in
      try await page(prefix: prefix, delimiter: delimiter, continuation: continuation, limit: configuration.keysPerPage)
    }
  }

  /// Whether the bucket exists.
  func bucketExists() async throws -> Bool {
    do {
      _ = try await page(prefix: "", delimiter: nil, continuation: nil, limit: 1)
      return true
    } catch let error as ServiceError where error.kind == .noSuchBucket {
      return false
    }
  }

  /// Makes the bucket, private to its owner.
  func createBucket() async throws {
    let body = provider.bucketConfiguration
    var headers = HTTPFields()
    if !body.isEmpty { headers[.contentType] = "application/xml" }
    _ = try await client.exchange(draft(.put, headers: headers, body: body))
  }

  private func page(
    prefix: String, delimiter: String?, continuation: String?, limit: Int
  ) async throws -> ListPage {
    var parameters: [RequestTarget.Parameter] = [.init("encoding-type", "url"), .init("max-keys", "\(limit)")]
    if !prefix.isEmpty { parameters.append(.init("prefix", prefix)) }
    if let delimiter { parameters.append(.init("delimiter", delimiter)) }
    switch provider.dialect.paging {
    case .continuationToken:
      parameters.append(.init("list-type", "2"))
      if let continuation { parameters.append(.init("continuation-token", continuation)) }
    case .marker:
      if let continuation { parameters.append(.init("marker", continuation)) }
    }
    let (_, body) = try await client.exchange(draft(.get, nil, parameters))
    return try ListPage(XMLNode.answer(body), dialect: provider.dialect)
  }
}
