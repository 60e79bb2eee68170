// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests every sub-resource that the vendors' SDKs know, with every method, on the service, a bucket and an object: no
/// request has another effect than the one that its name means.
final class SubResourceTests: CloudTestCase {
  /// A sub-resource's name and the sources that mention it.
  private struct Name: Decodable {
    let name: String
    let sources: [String]
  }

  /// The status of a request with one parameter where this server implements the operation, or accepts the parameter
  /// and finds it empty; the status is 501 otherwise.
  private static let implemented: [String: Int] = [
    "GET bucket versioning": 200, "PUT bucket versioning": 400, "GET bucket versions": 200,
    "GET bucket acl": 200, "GET bucket location": 200, "GET bucket uploads": 200,
    "POST bucket delete": 400, "GET object acl": 200, "POST object uploads": 200,
    "PUT object uploadId": 400, "GET object uploadId": 404, "POST object uploadId": 400, "DELETE object uploadId": 404,
    "GET object tagging": 200, "PUT object tagging": 400, "DELETE object tagging": 204,
    "GET object versionId": 400, "HEAD object versionId": 400, "DELETE object versionId": 400,
  ]

  /// The statuses of requests for a document of a bucket: GET, PUT with another document, and DELETE if it is possible.
  private static func documents(_ rows: [(name: String, get: Int, delete: Int?)]) -> [String: Int] {
    var statuses: [String: Int] = [:]
    for row in rows {
      statuses["GET bucket \(row.name)"] = row.get
      statuses["PUT bucket \(row.name)"] = 400
      statuses["DELETE bucket \(row.name)"] = row.delete
    }
    return statuses
  }

  private static let documentsOfOSS = documents([
    ("policy", 404, 204), ("cors", 404, 204), ("lifecycle", 404, 204), ("encryption", 404, 204), ("tagging", 200, 204),
    ("website", 404, 204), ("logging", 200, 204), ("publicAccessBlock", 200, 204), ("inventory", 404, 400),
    ("referer", 200, nil), ("accessmonitor", 200, nil), ("resourceGroup", 200, nil), ("requestPayment", 200, nil),
    ("transferAcceleration", 404, nil), ("httpsConfig", 200, nil), ("bucketArchiveDirectRead", 200, nil),
    ("overwriteConfig", 200, 204), ("style", 200, 400), ("qos", 200, nil),
    ("userDefinedLogFieldsConfig", 404, 204),
  ])

  private static let documentsOfCOS = documents([
    ("policy", 404, 204), ("cors", 404, 204), ("lifecycle", 404, 204), ("encryption", 404, 204), ("tagging", 404, 204),
    ("website", 404, 204), ("logging", 200, nil), ("inventory", 200, 400), ("replication", 404, 204),
    ("referer", 200, 204),
  ])

  private static let documentsOfS3 = documents([
    ("policy", 404, 204), ("cors", 404, 204), ("lifecycle", 404, 204), ("encryption", 200, 204), ("tagging", 404, 204),
    ("website", 404, 204), ("logging", 200, nil), ("publicAccessBlock", 404, 204), ("ownershipControls", 404, 204),
    ("inventory", 200, 400), ("replication", 404, 204),
  ])

  private static let ofOSS: [String: Int] = [
    "GET bucket bucketInfo": 200, "GET bucket stat": 200, "GET bucket live": 200, "POST object append": 400,
    "PUT object symlink": 400,
    "GET object symlink": 400, "HEAD object objectMeta": 200, "PUT object x-oss-traffic-limit": 400,
    "GET object x-oss-traffic-limit": 400, "HEAD object x-oss-traffic-limit": 400,
    "GET service x-oss-request-payer": 400, "GET service tagging": 200, "GET service tag-key": 200,
    "GET service tag-value": 200, "GET service regionList": 200, "GET service regions": 200,
    "GET bucket policyStatus": 200,
    "PUT bucket x-oss-request-payer": 400, "GET bucket x-oss-request-payer": 400,
    "HEAD bucket x-oss-request-payer": 400, "DELETE bucket x-oss-request-payer": 400,
    "PUT object x-oss-request-payer": 400, "GET object x-oss-request-payer": 400,
    "HEAD object x-oss-request-payer": 400, "DELETE object x-oss-request-payer": 400,
  ]

  private static let ofCOS: [String: Int] = [
    "POST object append": 400, "PUT object symlink": 400, "GET object symlink": 400,
    "PUT object x-cos-traffic-limit": 400, "GET object x-cos-traffic-limit": 400,
    "HEAD object x-cos-traffic-limit": 400, "PUT bucket acl": 400, "PUT object acl": 400,
    "GET service tagkey": 200, "GET service tagvalue": 200, "GET service create-time": 200,
  ]

  private static let ofS3: [String: Int] = [
    "GET service continuation-token": 200, "GET object attributes": 400, "GET object partNumber": 400,
    "HEAD object partNumber": 400, "PUT bucket acl": 400, "PUT object acl": 400,
  ]

  private func expected(_ place: String, _ name: String, of provider: LocalCloud.Provider) -> Int {
    let isRead = place.hasPrefix("GET object") || place.hasPrefix("HEAD object")
    if name.hasPrefix("response-"), isRead { return 200 }
    let own =
      switch provider {
      case .oss: Self.ofOSS.merging(Self.documentsOfOSS) { $1 }
      case .cos: Self.ofCOS.merging(Self.documentsOfCOS) { $1 }
      case .s3: Self.ofS3.merging(Self.documentsOfS3) { $1 }
      }
    return Self.implemented[place] ?? own[place] ?? 501
  }

  private func names() throws -> [String] {
    let url = try XCTUnwrap(
      Bundle.module.url(forResource: "sub-resources", withExtension: "json", subdirectory: "Vectors"))
    let names = try JSONDecoder().decode([Name].self, from: Data(contentsOf: url))
    XCTAssertGreaterThanOrEqual(names.count, 200)
    XCTAssertTrue(names.allSatisfy { !$0.sources.isEmpty })
    return names.map(\.name)
  }

  /// A description of the stored state: buckets, objects with their bytes and metadata, multipart uploads.
  private func state(_ client: TestClient) async throws -> [String] {
    var lines =
      try await client.send(.get, bucket: nil).document["Buckets"]?.children.compactMap { $0["Name"]?.text } ?? []
    let list = try await client.send(.get).document
    for object in list.all("Contents") {
      let key = object["Key"]?.text ?? ""
      let get = try await client.send(.get, key)
      let acl = try await client.send(.get, key, query: ["acl": nil])
      lines.append("\(key) \(get.text) \(get.header("content-type") ?? "") \(acl.text)")
    }
    lines.append(try await client.send(.get, query: ["acl": nil]).text)
    return lines
  }

  private func uploads(_ client: TestClient) async throws -> Int {
    try await client.send(.get, query: ["uploads": nil]).document.all("Upload").count
  }

  func testSubResourcesHaveOnlyTheirOwnEffect() async throws {
    let names = try names()
    try await withEachService { client in
      _ = try await client.send(.put, bucket: "empty-1250000000")
      _ = try await client.send(.put, "kept", headers: ["Content-Type": "text/plain"], body: [UInt8(ascii: "x")])
      let before = try await state(client)
      var expectedUploads = 0
      for (index, name) in names.enumerated() {
        // A parameter has the same effect without a value and with an empty one.
        let value = index.isMultiple(of: 2) ? "" : "="
        for method in [.delete, .put, .post, .get, .head] as [HTTPRequest.Method] {
          for (level, bucket, key) in [
            ("service", nil, nil), ("bucket", "empty-1250000000", nil), ("object", Self.bucket, "kept"),
          ] as [(String, String?, String?)] {
            let place = "\(method.rawValue) \(level) \(name)"
            var request = try client.request(method, key, bucket: bucket)
            request.path = "\(request.path ?? "")?\(name)\(value)"
            let body: [UInt8]? = method == .put || method == .post ? Array("<no>".utf8) : nil
            let reply = try await client.send(client.signed(request), body: body)
            if place == "POST object uploads" { expectedUploads += 1 }
            let status = expected(place, name, of: client.provider)
            XCTAssertEqual(reply.status, status, "\(client.provider) \(place)\(value): \(reply.text)")
            if status == 501, method != .head {
              XCTAssertEqual(try reply.errorCode, "NotImplemented", place)
              XCTAssertTrue(
                place == "PUT bucket acl" || place == "PUT object acl" || reply.text.contains(name), reply.text)
            }
          }
        }
      }
      let after = try await state(client)
      XCTAssertEqual(before, after)
      let uploads = try await uploads(client)
      XCTAssertEqual(uploads, expectedUploads)
    }
  }

  func testTwoSubResourcesInOneRequestAreRejected() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "kept", body: [1])
      let cases: [(HTTPRequest.Method, String?, KeyValuePairs<String, String?>, Int)] = [
        (.get, nil, ["acl": nil, "uploads": nil], 400), (.get, nil, ["acl": nil, "lifecycle": nil], 400),
        (.get, nil, ["location": nil, "prefix": "a"], 501), (.post, "kept", ["uploads": nil, "uploadId": "x"], 400),
        (.put, "kept", ["acl": nil, "uploadId": "x"], 400), (.delete, "kept", ["uploadId": "x", "acl": nil], 501),
        (.put, "kept", ["uploadId": "x", "partNumber": "1", "objectRetention": nil], 501),
        (.post, nil, ["uploads": nil, "delete": nil], 501), (.put, "kept", ["partNumber": "1"], 501),
        (.delete, nil, ["uploadId": "x"], 501),
        (.get, nil, ["list-type": "3"], 400),
        (.get, nil, ["start-after": "x"], 501),
      ]
      for (method, key, query, status) in cases {
        let reply = try await client.send(method, key, query: query, body: method == .get ? nil : [])
        XCTAssertEqual(reply.status, status, "\(client.provider) \(method) \(query): \(reply.text)")
      }
      let twice = try await client.send(client.request(.get, query: ["acl": nil, "acl": nil]))
      XCTAssertEqual(twice.status, 400, "no signer creates such a request")
      let get = try await client.send(.get, "kept")
      XCTAssertEqual(get.body, [1])
    }
  }

  func testSubResourceNamesHaveTheServicesCaseSensitivity() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      _ = try await client.send(.put, "kept", body: [1])
      let acl = try await client.send(.get, "kept", query: ["ACL": nil])
      XCTAssertEqual(acl.status, client.provider == .oss ? 501 : 200)
      for name in ["Object-Retention", "RESTORE", "RedundancyTransition", "OBJECTRETENTION"] {
        let put = try await client.send(.put, "kept", query: [name: nil], body: [2])
        XCTAssertEqual(put.status, 501, name)
        let delete = try await client.send(.delete, "kept", query: [name: ""])
        XCTAssertEqual(delete.status, 501, name)
      }
      // The Kelvin sign is not a K: the verifier or the list of names rejects it.
      let kelvin = try await client.send(.delete, "kept", query: ["lin\u{212A}": nil])
      XCTAssertTrue([400, 501].contains(kelvin.status), kelvin.text)
      let get = try await client.send(.get, "kept")
      XCTAssertEqual(get.body, [1])
    }
  }

  func testUnknownParameterIsIgnored() async throws {
    try await withEachService { client in
      let put = try await client.send(.put, "a", query: ["color": "red"], body: [1])
      XCTAssertEqual(put.status, 200, put.text)
      let get = try await client.send(.get, "a", query: ["color": "red", "flag": nil])
      XCTAssertEqual(get.body, [1])
      let list = try await client.send(.get, query: ["color": "red", "flag": nil])
      XCTAssertEqual(list.status, 200, list.text)
      let delete = try await client.send(.delete, "a", query: ["color": "red"])
      XCTAssertEqual(delete.status, 204)
    }
  }

  func testImageProcessingIsRejectedInEverySpelling() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: [1])
      for name in [
        "imageMogr2/thumbnail/!50p", "imageView2/1/w/400", "watermark/2/text/eA==", "ci-process", "x-oss-process",
      ] {
        let reply = try await client.send(.get, "a", query: [name: "x"])
        XCTAssertEqual(reply.status, 501, name)
      }
    }
  }

  func testUnknownMethodsAreNotAllowed() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: [1])
      for method in ["PATCH", "TRACE", "LOCK", "REPORT"] {
        let name = try XCTUnwrap(HTTPRequest.Method(method))
        let reply = try await client.send(name, "a", query: ["acl": nil])
        XCTAssertEqual(reply.status, 405, method)
      }
    }
  }
}
