// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import S3Auth
import StorageAuth
import StorageCrypto
import XCTest

/// A known answer of `s3.json`.
struct S3Vector: Decodable {
  struct Key: Decodable {
    let id: String
    let secret: String
    let token: String
  }

  struct Body: Decodable {
    let text: String?
    let times: Int?
    let hex: String?

    var bytes: [UInt8] {
      if let hex { return [UInt8](hex: hex) ?? [] }
      return Array(String(repeating: text ?? "", count: times ?? 1).utf8)
    }
  }

  struct Chunk: Decodable {
    let size: Int
    let stringToSign: String?
    let signature: String?
  }

  struct Trailer: Decodable {
    let stringToSign: String?
    let signature: String?
  }

  struct Names: Decodable {
    let list: [String]?
  }

  struct Expected: Decodable {
    let canonicalRequest: String?
    let stringToSign: String
    let signature: String
    let authorization: String?
    let url: String?
    let policyBase64: String?
    let chunks: [Chunk]?
    let trailer: Trailer?
    let contentLength: Int?
    let wireSha256: String?
    let wire: String?
  }

  let id: String
  let mode: String
  let method: String
  let scheme: String
  let host: String
  let wirePath: String
  let query: [[String?]]
  let headers: [[String]]
  let headersComplete: Bool?
  let credential: Key
  let date: Int64
  let dateISO: String
  let region: String
  let service: String
  let expires: Int64?
  let payloadHash: String?
  let body: Body?
  let chunkSizes: [Int]?
  let trailer: [[String]]?
  let policy: String?
  let fields: [[String]]?
  let bucket: String?
  let signedHeaders: Names?
  let applies: Bool?
  let expected: Expected

  static func load() throws -> [S3Vector] {
    let url = try XCTUnwrap(Bundle.module.url(forResource: "Vectors/s3", withExtension: "json"))
    return try JSONDecoder().decode([S3Vector].self, from: Data(contentsOf: url))
  }

  static func one(_ id: String) throws -> S3Vector {
    try XCTUnwrap(load().first { $0.id == id }, id)
  }

  var key: AccessKey {
    AccessKey(
      id: credential.id, secret: credential.secret, sessionToken: credential.token.isEmpty ? nil : credential.token)
  }

  var timestamp: Timestamp { Timestamp(unixSeconds: date) }

  var names: [String] { signedHeaders?.list ?? [] }

  /// The caller's request, without the headers that a signer adds.
  var request: HTTPRequest {
    var fields = HTTPFields()
    for header in headers where header[0].lowercased() != "host" {
      let isSet = headersComplete == true && mode == "presign" && header[0].lowercased() == "x-amz-date"
      if let name = HTTPField.Name(header[0]), !isSet { fields.append(HTTPField(name: name, value: header[1])) }
    }
    let items = query.map { item in
      let name = (item[0] ?? "").percentEncoded()
      return (item[1] as String?).map { "\(name)=\($0.percentEncoded())" } ?? name
    }
    return HTTPRequest(
      method: HTTPRequest.Method(method) ?? .get, scheme: scheme,
      authority: host.trimmingCharacters(in: .whitespacesAndNewlines),
      path: wirePath + (items.isEmpty ? "" : "?" + items.joined(separator: "&")), headerFields: fields)
  }

  /// Returns a signer with the settings of the vector.
  func signer() throws -> S3Signer {
    S3Signer(
      region: region, service: service,
      payload: mode == "presign" ? nil : try XCTUnwrap(S3Payload(header: payloadHash ?? "UNSIGNED-PAYLOAD"), id),
      additionalHeaders: Set(names))
  }
}
