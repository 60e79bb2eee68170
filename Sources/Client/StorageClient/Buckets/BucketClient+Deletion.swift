// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// The maximum number of keys that the services accept in one deletion request.
private let batchSize = 1000

extension BucketClient {
  /// Deletes an object, and succeeds if the object does not exist.
  func delete(_ key: String) async throws {
    _ = try await client.exchange(draft(.delete, key))
  }

  /// Deletes objects, up to 1,000 per request, and succeeds for keys that do not exist.
  ///
  /// Keys with control characters cannot be represented in XML and are deleted one by one.
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
    var draft = try draft(.post, nil, [.init("delete")], headers: headers, body: body)
    draft.scope = CredentialScope(deleting: batch, in: provider.bucket)
    let dialect = provider.dialect
    let answer = try await client.exchange(draft) { response, body in
      // OSS answers a quiet deletion without failures with an empty body.
      if body.isEmpty {
        try SuccessProof.noContent.check(response, draft.subject, requestID: dialect.requestID)
        return ServiceDocument?.none
      }
      return try ServiceDocument(body, named: "DeleteResult", of: response, subject: draft.subject, dialect)
    }
    try report.enter(answer, asked: batch)
  }
}

extension DeletionReport {
  /// Enters the service's report on a quiet deletion, which only contains the keys that could not be deleted.
  ///
  /// Keys are compared as bytes.
  fileprivate mutating func enter(_ answer: ServiceDocument?, asked: ArraySlice<String>) throws(StorageError) {
    let names = Set(asked.map { Array($0.utf8) })
    let encodes = try answer?.encodesNames() ?? false
    func key(_ node: XMLNode) throws(StorageError) -> String {
      let text = try node.text(ofOnly: "Key") ?? ""
      let key = encodes ? try answer?.name(node.only("Key"), true) ?? text : text
      guard names.contains(Array(key.utf8)) else {
        throw StorageError.contradiction("it is about the deletion of \(key.shown), which was not requested")
      }
      return key
    }
    for node in answer?.all("Deleted") ?? [] { _ = try key(node) }
    var failed: Set<[UInt8]> = []
    for error in answer?.all("Error") ?? [] {
      let failure = Failure(
        key: try key(error), code: error["Code"]?.text ?? "", message: error["Message"]?.text ?? "")
      failed.insert(Array(failure.key.utf8))
      failures.append(failure)
    }
    deleted += asked.filter { !failed.contains(Array($0.utf8)) }
  }
}
