internal import HTTPTypes
internal import StorageCrypto
internal import StorageXML

/// The most keys that the services take in one request.
private let batchSize = 1000

extension BucketClient {
  /// Deletes an object; it is no error if there is none.
  func delete(_ key: String) async throws {
    _ = try await client.exchange(draft(.delete, key))
  }

  /// Deletes objects, up to 1,000 with one request; it is no error if some do not exist.
  ///
  /// Keys with control characters cannot be written in XML and are deleted one by one.
  func delete(_ keys: [String]) async throws -> DeletionReport {
    for key in keys { _ = try draft(.delete, key) }
    var report = DeletionReport()
    let writable = keys.filter(\.fitsIntoXML)
    for start in stride(from: 0, to: writable.count, by: batchSize) {
      try await delete(batch: writable[start..<min(start + batchSize, writable.count)], report: &report)
    }
    for key in keys where !key.fitsIntoXML {
      do {
        try await delete(key)
        report.deleted.append(key)
      } catch let error as ServiceError {
        report.failures.append(.init(key: key, code: error.code, message: error.message))
      }
    }
    return report
  }

  private func delete(batch: ArraySlice<String>, report: inout DeletionReport) async throws {
    let objects = batch.map { XMLNode("Object", children: [XMLNode("Key", $0)]) }
    let body = XMLNode("Delete", children: [XMLNode("Quiet", "true")] + objects).serialized()
    var headers = HTTPFields()
    headers[.contentType] = "application/xml"
    headers[.contentMD5] = MD5.hash(body).base64
    let (_, answer) = try await client.exchange(
      draft(.post, nil, [.init("delete")], headers: headers, body: body))
    let errors = answer.isEmpty ? [] : try XMLNode.answer(answer).all("Error")
    let failures = errors.map { error in
      DeletionReport.Failure(
        key: error["Key"]?.text ?? "", code: error["Code"]?.text ?? "", message: error["Message"]?.text ?? "")
    }
    let failed = Set(failures.map(\.key))
    report.failures += failures
    report.deleted += batch.filter { !failed.contains($0) }
  }
}

extension String {
  /// Whether XML can hold the text: it has no way to write most control characters.
  fileprivate var fitsIntoXML: Bool {
    unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
    }
  }
}
