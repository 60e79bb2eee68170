// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageClient
import XCTest

/// Tests the client's diagnosis of a signature that a service rejected.
final class DiagnosisTests: XCTestCase {
  /// A transport that changes requests before it sends them, as an HTTP stack or a proxy may.
  private struct RewritingTransport: HTTPTransport {
    let base = NetworkTransport.make()
    let change: @Sendable (inout HTTPRequest) -> Void

    func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
      var request = request
      change(&request)
      return try await base.send(request, body: body)
    }
  }

  private func stores(
    _ cloud: Cloud, _ key: AccessKey, _ change: @escaping @Sendable (inout HTTPRequest) -> Void
  ) -> [(name: String, store: any BucketStore)] {
    let transport = RewritingTransport(change: change)
    let versions = OSSSignatureVersion.allCases.map { version -> (String, any BucketStore) in
      let provider = OSSProvider(
        bucket: Cloud.bucket, region: "cn-hangzhou", signature: version, endpoint: cloud.server.ossEndpoint)
      return (
        "OSS \(version)",
        StorageClient(provider, credentials: key, configuration: .test, transport: transport)
      )
    }
    let provider = COSProvider(bucket: Cloud.bucket, region: "ap-guangzhou", endpoint: cloud.server.cosEndpoint)
    return versions + [
      ("COS V5", StorageClient(provider, credentials: key, configuration: .test, transport: transport))
    ]
  }

  private func error(
    _ operation: () async throws -> Void, file: StaticString = #filePath, line: UInt = #line
  ) async -> ServiceError? {
    var thrown: ServiceError?
    await assertThrows(ServiceError.self, operation, file: file, line: line) { thrown = $0 }
    return thrown
  }

  func testChangedHeaderIsNamed() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in stores(cloud, temporaryKey, { $0.headerFields[.contentType] = "text/html" }) {
      let error = await error { _ = try await store.upload([1], to: "cat.jpg") }
      XCTAssertEqual(error?.kind, .signatureMismatch, name)
      XCTAssertEqual(error?.diagnosis?.cause, .contentTypeChanged, name)
      XCTAssertEqual(error?.diagnosis?.line, "Content-Type", name)
      let text = "\(error as Any)"
      XCTAssertTrue(text.contains("Content-Type: sent image"), text)
      XCTAssertTrue(text.contains("Send exactly the Content-Type that was signed."), text)
      XCTAssertEqual(error?.remedy, error?.diagnosis?.remedy)
    }
  }

  func testPathRewrittenByAProxyIsNamed() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in stores(cloud, temporaryKey, { $0.path = $0.path?.replacing("%20", with: "+") }) {
      let error = await error { _ = try await store.upload([1], to: "my cat.jpg") }
      XCTAssertEqual(error?.diagnosis?.cause, .plusForSpace, name)
    }
  }

  func testWrongSecretIsNamed() async throws {
    let cloud = try await Cloud(self)
    let wrong = AccessKey(id: key.id, secret: "another-secret")
    for (name, store) in cloud.stores(key: wrong) {
      let error = await error { _ = try await store.upload([1], to: "cat.jpg") }
      XCTAssertEqual(error?.diagnosis?.cause, .wrongSecret, name)
    }
  }

  func testErrorUnrelatedToTheSignatureHasNoDiagnosis() async throws {
    let cloud = try await Cloud(self)
    for (name, store) in cloud.stores() {
      let error = await error { _ = try await store.download("nothing", upTo: 1) }
      XCTAssertEqual(error?.kind, .noSuchKey, name)
      XCTAssertNil(error?.diagnosis, name)
    }
  }

  func testClientClaimsAWrongSecretOnlyWithProof() async throws {
    let cloud = try await Cloud(self)
    let wrong = AccessKey(id: key.id, secret: "another-secret")
    for (name, store) in cloud.stores(key: wrong) {
      await assertThrows(
        ServiceError.self, { try await store.delete("a") },
        { error in
          XCTAssertEqual(error.diagnosis?.cause, .wrongSecret, name)
        })
    }
    // A service that does not show its strings: the request may have been changed on the way.
    let silent = RecordingTransport { _ in
      HTTPStreamingResponse(403, "<Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message></Error>")
    }
    for store in [cloud.oss(over: silent), cloud.oss(.v1, over: silent)] as [any BucketStore] + [
      cloud.cos(over: silent), cloud.s3(over: silent),
    ] {
      await assertThrows(
        ServiceError.self, { try await store.delete("a") },
        { error in
          XCTAssertEqual(error.diagnosis?.cause, .unknown)
          XCTAssertFalse("\(error)".contains("does not belong"), "\(error)")
        })
    }
  }
}
