internal import HTTPTypes
internal import StorageAuth
internal import StorageXML

extension StorageClient {
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
    let dialect = provider.dialect
    _ = try unsigned(RequestDraft(.get, source.key))
    var headers = HTTPFields()
    if let attributes = options.attributes {
      headers = try attributes.fields(in: dialect, named: key)
      headers[dialect.metadataDirective] = dialect.replaceMetadata
    }
    let forbidsOverwrite = options.forbidOverwrite || options.attributes?.forbidOverwrite == true
    if forbidsOverwrite { headers[dialect.forbidOverwrite] = "true" }
    headers[dialect.copySource] = provider.copySource(source)
    let draft = RequestDraft(.put, key, headers: headers, isRepeatable: !forbidsOverwrite)
    let (response, body) = try await exchange(draft)
    let answer = try XMLNode.answer(body)
    if let error = errorInside(answer, of: response, draft) { throw error }
    return CopiedObject(
      key: key, etag: answer["ETag"]?.text,
      lastModified: answer["LastModified"].flatMap { Timestamp(iso8601: $0.text) },
      checksum: response.headerFields[dialect.checksum].flatMap { UInt64($0) },
      versionID: response.headerFields[dialect.versionID])
  }

  /// The error that a service put into an answer whose status, sent before the work was done, says success.
  func errorInside(_ answer: XMLNode, of response: HTTPResponse, _ draft: RequestDraft) -> ServiceError? {
    ServiceError(insideSuccess: answer, of: response, subject: subject(of: draft), dialect: provider.dialect)
  }
}
