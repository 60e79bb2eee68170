// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageClient

/// A provider of an invented service that differs from the others in its documents, which are JSON.
struct JSONBucket: BucketProvider {
  var bucket = "photos"
  let region = "here"
  let name = "json"
  let signer = JSONSigner()

  var endpoint: ServiceEndpoint {
    get throws(SigningError) { try ServiceEndpoint("http://127.0.0.1:9", style: .path) }
  }

  var conventions: HeaderConventions {
    var conventions = HeaderConventions(headerPrefix: "x-json-", paging: .marker)
    conventions.documents = JSONDocuments()
    return conventions
  }

  var defaultCredentials: StaticCredentialProvider<AccessKey> { StaticCredentialProvider(.anonymous) }

  func copySource(_ source: CopySource) -> String {
    "/\(source.bucket ?? bucket)/\(ByteExactString(source.key).percentEncoded(keepingSlashes: true))"
  }
}

struct JSONSigner: Signer {
  func requiredValidity(from date: Timestamp) -> Timestamp { date.advanced(by: .seconds(2)) }

  func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    try key.check()
    let code = key.authenticationCode(for: "\(request.method) \(request.path ?? "/")", using: .hmacSHA256)
    request.headerFields[.authorization] = "JSON \(key.id.string):\(code.base64)"
  }
}

/// The documents of the service, whose names are its own.
struct JSONDocuments: DocumentFormat {
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  let mediaType = "application/json"

  func error(in body: [UInt8], of response: HTTPResponse, subject: String) -> ServiceError? {
    guard let error = (try? JSONValue(parsing: body))?["error"], let code = error["code"]?.string else { return nil }
    let kinds: [String: ServiceError.Kind] = ["Gone": .noSuchKey, "Busy": .throttled, "NoUpload": .noSuchUpload]
    return ServiceError(
      response, code: code, message: error["message"]?.string, kind: kinds[code], subject: subject)
  }

  func listing(in body: [UInt8], of request: DocumentRequest) throws -> ListPage {
    let page = try JSONValue(parsing: body)
    guard let items = page["items"]?.array, let groups = page["groups"]?.array,
      page["bucket"]?.string == request.bucket
    else { throw Unreadable(description: "it is no page of \(request.bucket)") }
    return try ListPage(
      objects: items.map { item in
        guard let name = item["name"]?.string, let size = item["bytes"]?.integer else {
          throw Unreadable(description: "an item has no name or size")
        }
        return ListedObject(key: name, size: Int64(size), etag: item["tag"]?.string)
      }, commonPrefixes: groups.compactMap(\.string), continuation: page["next"]?.string)
  }

  func uploadID(in body: [UInt8], of request: DocumentRequest) throws -> String {
    try text("upload", in: body)
  }

  func completion(of parts: [StoredPart]) -> [UInt8] {
    let list = parts.map { JSONValue.object(["number": .number(JSONNumber($0.number)), "tag": .string($0.etag)]) }
    return JSONValue.object(["parts": .array(list)]).serialized
  }

  func completedTag(in body: [UInt8], of request: DocumentRequest) throws -> String { try text("tag", in: body) }

  func copy(in body: [UInt8], of request: DocumentRequest) throws -> (etag: String, lastModified: Timestamp?) {
    (try text("tag", in: body), nil)
  }

  func deletion(of keys: [String]) -> [UInt8] {
    JSONValue.object(["names": .array(keys.map { .string($0) })]).serialized
  }

  func deletionReport(in body: [UInt8]) throws -> DeletionReport {
    guard let failed = try JSONValue(parsing: body)["failed"]?.array else {
      throw Unreadable(description: "it is no report")
    }
    return DeletionReport(
      deleted: [],
      failures: failed.map { item in
        .init(
          key: item["name"]?.string ?? "", code: item["code"]?.string ?? "", message: item["message"]?.string ?? "")
      })
  }

  private func text(_ name: String, in body: [UInt8]) throws -> String {
    guard let text = try JSONValue(parsing: body)[name]?.string else {
      throw Unreadable(description: "it has no \(name)")
    }
    return text
  }
}
