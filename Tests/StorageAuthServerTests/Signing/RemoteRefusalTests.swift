// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import LocalCloud
import OSSAuth
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests that a client without a key sends no request when it receives no signature, and reports the reason.
final class RemoteRefusalTests: XCTestCase {
  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  // matrix: COS V5: remote signing
  func testServersErrorIsReportedAndNoRequestIsSent() async throws {
    let bench = try await SigningBench(self)
    for (name, store) in bench.stores() {
      let before = bench.cloud.statistics
      do {
        try await store.upload([1], to: "bob/a")
        XCTFail("\(name): signed")
      } catch let error as SigningError {
        XCTAssertEqual(error.code, .refused, name)
        XCTAssertTrue(error.message.contains("notAllowed"), "\(name): \(error)")
        XCTAssertTrue(error.message.contains("403"), "\(name): \(error)")
      }
      XCTAssertEqual(bench.cloud.statistics.verifiedCount, before.verifiedCount, name)
      XCTAssertEqual(bench.cloud.statistics[.oss].unsigned, before[.oss].unsigned, name)
      XCTAssertEqual(bench.cloud.statistics[.cos].unsigned, before[.cos].unsigned, name)
    }
    for (name, store) in bench.stores("mallory") {
      do {
        try await store.upload([1], to: "alice/a")
        XCTFail("\(name): signed")
      } catch let error as CredentialError {
        XCTAssertEqual(error.code, .rejected, name)
        XCTAssertTrue(error.message.contains("401"), "\(name): \(error)")
      }
    }
    XCTAssertEqual(bench.cloud.statistics.verifiedCount, 0)
  }

  private func client(
    _ version: OSSSignatureVersion = .v4, _ signing: RemoteSigning, _ transport: ScriptedTransport
  ) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", signature: version), signing: signing, transport: transport)
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  func testAppErrorOrInvalidSignaturePreventsTheRequest() async throws {
    struct Offline: Error {}
    for version in OSSSignatureVersion.allCases {
      let transport = ScriptedTransport { _ in .init(response: .init(status: .ok), body: .init([])) }
      do {
        try await client(version, .remote { _ in throw Offline() }, transport).delete("a")
        XCTFail("deleted")
      } catch is Offline {}
      for answer in ["", "0000", "OSS other:AAAAAAAAAAAAAAAAAAAAAAAAAAA="] {
        do {
          let signing = RemoteSigning.remote(
            { _ in SigningResponse(accessKeyID: "id", signature: answer) }, as: Identity(id: "id"))
          try await client(version, signing, transport).delete("a")
          XCTFail("deleted")
        } catch let error as SigningError {
          XCTAssertEqual(error.code, .invalidSignature)
        }
      }
      do {
        let signing = RemoteSigning.remote(
          { _ in SigningResponse(accessKeyID: "other", signature: "") }, as: Identity(id: "id"))
        try await client(version, signing, transport).delete("a")
        XCTFail("deleted")
      } catch let error as SigningError {
        XCTAssertEqual(error.code, .refused)
      }
      XCTAssertEqual(transport.requests.count, 0, "no request must be sent")
    }
  }

  // matrix: OSS V1: remote signing
  // matrix: OSS V4: remote signing
  func testAppFunctionMayReturnItsKeyIDOnlyWithSignatures() async throws {
    let key = AccessKey(id: "LTAIapp", secret: "not-a-secret")
    let orders = Lock(0)
    let sign: RemoteSigning.Sign = { order in
      orders.withLock { $0 += 1 }
      let rules = SigningRules(AccessPolicy([AccessRule(.read, objects: .all, in: "photos")]))
      let rekeyed = AccessKey(id: order.stringToSign.contains("unknown") ? "unknown" : key.id, secret: key.secret)
      let answer = try OSSStringToSignSigner(region: "cn-hangzhou").sign(
        order,
        with: order.canonicalRequest?.contains("unknown") == true
          ? AccessKey(id: "unknown", secret: key.secret) : rekeyed,
        under: rules, at: .now)
      return SigningResponse(accessKeyID: key.id, signature: answer.signature)
    }
    for version in OSSSignatureVersion.allCases {
      let transport = ScriptedTransport { _ in
        .init(response: .init(status: .ok, headerFields: [.eTag: "\"E\""]), body: .init([]))
      }
      let client = client(version, .remote(sign), transport)
      _ = try await client.head("a")
      let sent = try XCTUnwrap(transport.requests.first?.head)
      let verified = try await OSSVerifier().verify(sent, at: .now) { $0 == key.id ? key : nil }
      XCTAssertEqual(verified.accessKeyID, key.id)
      let link = try await client.presign(.get, "a", validFor: .seconds(60))
      var request = sent
      request.method = .get
      request.headerFields = link.headers
      request.path = String(link.url.dropFirst("https://\(sent.authority ?? "")".count))
      let linked = try await OSSVerifier().verify(request, at: .now) { $0 == key.id ? key : nil }
      XCTAssertEqual(linked.target.key, "a")
    }
    XCTAssertEqual(orders.withLock { $0 }, 5, "only the URL of V4 contains the id, and is signed again")
  }

  // matrix: OSS V4: remote signing, forced refresh
  // matrix: COS V5: remote signing, forced refresh
  func testChangedKeyIsRequestedAgain() async throws {
    let source = ChangingKey()
    let bench = try await SigningBench(self, keys: source)
    for (name, store) in bench.stores() {
      source.current.withLock { $0 = SigningBench.key }
      try await store.upload([1], to: "alice/a")
      source.current.withLock { $0 = SigningBench.temporary }
      try await store.upload([2], to: "alice/a")
      let bytes = try await store.download("alice/a", upTo: 10)
      XCTAssertEqual(bytes, [2], name)
    }
  }
}

/// A provider whose key changes.
private final class ChangingKey: CredentialProvider {
  let current = Lock(SigningBench.key)

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    IssuedCredential(current.withLock { $0 })
  }
}
