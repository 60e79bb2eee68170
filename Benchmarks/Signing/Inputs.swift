// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The inputs of the workloads and their expected signatures, from `workloads.json`.
struct Inputs {
  private let texts: [String: String]
  private let numbers: [String: Int64]
  private let signatures: [String: String]

  private struct File: Decodable {
    let inputs: [String: Value]
    let expected: [String: Value]
  }

  private enum Value: Decodable {
    case text(String)
    case number(Int64)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let number = try? container.decode(Int64.self) {
        self = .number(number)
      } else {
        self = .other
      }
    }
  }

  init(json: Data) throws {
    let file = try JSONDecoder().decode(File.self, from: json)
    func texts(_ values: [String: Value]) -> [String: String] {
      values.compactMapValues { if case .text(let text) = $0 { text } else { nil } }
    }
    self.texts = texts(file.inputs)
    signatures = texts(file.expected)
    numbers = file.inputs.compactMapValues { if case .number(let number) = $0 { number } else { nil } }
  }

  func signature(_ name: String) -> String { signatures[name] ?? "" }

  private func text(_ name: String) -> String { texts[name] ?? "" }

  var ossID: String { text("OSS_AK") }
  var ossSecret: String { text("OSS_SK") }
  var ossBucket: String { text("OSS_BUCKET") }
  var ossRegion: String { text("OSS_REGION") }
  var cosID: String { text("COS_ID") }
  var cosSecret: String { text("COS_SK") }
  var token: String { text("TOKEN") }
  var date: Timestamp { Timestamp(unixSeconds: numbers["EPOCH"] ?? 0) }
  var lifetime: Duration { .seconds(numbers["EXPIRES"] ?? 0) }

  private func request(
    _ method: HTTPRequest.Method, _ host: String, query: String = "", headers: [(String, String)] = []
  ) -> HTTPRequest {
    var request = HTTPRequest(
      method: method, scheme: "https", authority: host, path: "/" + text("KEY").percentEncoded(.path) + query)
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
    }
    return request
  }

  var objectKey: String { text("KEY") }

  /// Returns the request for the bucket of the object that a request is for, with the same query.
  func inBucket(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.path = "/" + (request.path?.dropFirst(1 + objectKey.percentEncoded(.path).utf8.count) ?? "")
    return request
  }

  var ossPut: HTTPRequest {
    request(
      .put, text("OSS_HOST"),
      headers: [
        ("Content-Type", text("CTYPE")), ("Content-MD5", text("MD5")), ("x-oss-meta-author", text("AUTHOR")),
        ("x-oss-meta-camera", text("CAMERA")),
      ])
  }

  var ossGet: HTTPRequest {
    request(.get, text("OSS_HOST"), query: "?response-content-type=" + text("RCT").percentEncoded())
  }

  var cosPart: HTTPRequest {
    request(
      .put, text("COS_HOST"), query: "?uploadId=\(text("UPLOADID"))&partNumber=\(text("PARTNO"))",
      headers: [
        ("Content-Type", text("CTYPE")), ("Content-MD5", text("MD5")), ("Content-Length", text("CLEN")),
        ("x-cos-meta-author", text("AUTHOR")),
      ])
  }

  var cosGet: HTTPRequest { request(.get, text("COS_HOST")) }

  var s3ID: String { text("S3_AK") }
  var s3Secret: String { text("S3_SK") }
  var s3Region: String { text("S3_REGION") }
  var s3BodyHash: String { text("S3_SHA256") }

  var s3Put: HTTPRequest {
    request(
      .put, text("S3_HOST"),
      headers: [
        ("Content-Type", text("CTYPE")), ("Content-MD5", text("MD5")), ("x-amz-meta-author", text("AUTHOR")),
        ("x-amz-meta-camera", text("CAMERA")),
      ])
  }

  var s3Get: HTTPRequest {
    request(.get, text("S3_HOST"), query: "?response-content-type=" + text("RCT").percentEncoded())
  }
}
