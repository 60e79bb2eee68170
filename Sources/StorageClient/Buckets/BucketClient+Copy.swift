internal import HTTPTypes
internal import StorageAuth
internal import StorageXML

extension BucketClient {
  /// Copies an object inside the service, without its bytes passing through here.
  func copy(_ source: CopySource, to key: String, options: CopyOptions) async throws -> CopiedObject {
    try await client.transfer("copy", key, nil) { _ in try await copyQuietly(source, to: key, options: options) }
  }

  private func copyQuietly(
    _ source: CopySource, to key: String, options: CopyOptions
  ) async throws -> CopiedObject {
    let dialect = provider.dialect
    _ = try draft(.get, source.key)
    try options.headers.check(for: .copy, named: "a copy", dialect.scopes)
    var headers = HTTPFields()
    if let attributes = options.attributes {
      try attributes.headers.check(for: .copy, named: "a copy", dialect.scopes)
      headers = try attributes.fields(in: dialect, named: key)
      headers[dialect.metadataDirective] = dialect.replaceMetadata
    }
    for field in options.headers { headers[field.name] = field.value }
    let forbidsOverwrite = options.forbidOverwrite || options.attributes?.forbidOverwrite == true
    if forbidsOverwrite { try headers.forbidOverwrite(in: dialect) }
    headers[dialect.copySource] = provider.copySource(source)
    var draft = try draft(.put, key, for: .copy, headers: headers, isRepeatable: !forbidsOverwrite)
    findErrorInside(&draft)
    let (response, body) = try await client.exchange(draft)
    let answer = try XMLNode.answer(body)
    return CopiedObject(
      key: key, etag: answer["ETag"]?.text,
      lastModified: answer["LastModified"].flatMap { Timestamp(iso8601: $0.text) },
      checksum: response.headerFields.checksum(in: dialect.checksums),
      versionID: response.headerFields[dialect.versionID])
  }

  /// Lets an error count that the service puts into an answer whose status, sent before the work was done, says success.
  func findErrorInside(_ draft: inout RequestDraft) {
    let subject = draft.subject
    draft.errorInside = { [dialect = provider.dialect] response, body in
      guard let answer = try? XMLNode.parse(body) else { return nil }
      return ServiceError(insideSuccess: answer, of: response, subject: subject, dialect: dialect)
    }
  }
}
