// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OBSProvider
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// `StorageClient` with a transport that verifies signatures and responds like OBS.
final class OBSClientTests: XCTestCase {
  private let key = AccessKey(id: "OBSEXAMPLETEMPKEY002", secret: "a secret", sessionToken: "a/token+=")
  private let host = "photos.obs.cn-north-4.myhuaweicloud.com"

  /// Returns a transport that verifies each request and passes it to a script.
  private func transport(_ script: @escaping @Sendable (RecordedRequest) -> HTTPStreamingResponse) -> ScriptedTransport
  {
    ScriptedTransport { [key] request in
      let verifier = OBSVerifier()
      do {
        guard let claim = try verifier.claim(in: request.head) else { return .status(403) }
        _ = try verifier.verify(claim, against: key, at: .now)
      } catch {
        return .xml("<Error><Code>SignatureDoesNotMatch</Code><Message>\(error)</Message></Error>", status: 403)
      }
      return script(request)
    }
  }

  private func client(_ transport: ScriptedTransport) -> StorageClient<OBSBucket> {
    StorageClient(
      .obs(bucket: "photos", region: "cn-north-4"), credentials: key,
      configuration: StorageClientConfiguration(multipartThreshold: 200_000, partSize: 102_400, retryDelay: .zero),
      transport: transport)
  }

  func testUploadAndDownload() async throws {
    let transport = transport { request in
      request.method == .put
        ? .status(200, headers: ["ETag": "\"e\"", "x-obs-request-id": "R1", "x-obs-version-id": "V1"])
        : .status(
          200, Array("bytes".utf8),
          headers: ["ETag": "\"e\"", "x-obs-meta-author": "mia", "x-obs-storage-class": "WARM"])
    }
    let client = client(transport)
    let options = UploadOptions(metadata: ["author": "mia"], storageClass: "WARM")
    let uploaded = try await client.upload(Array("bytes".utf8), to: "2026/a b+é.txt", options: options)
    XCTAssertEqual([uploaded.etag, uploaded.versionID, uploaded.requestID], ["\"e\"", "V1", "R1"])
    let object = try await client.open("2026/a b+é.txt", options: DownloadOptions(versionID: "V1"))
    XCTAssertEqual(object.info.metadata, ["author": "mia"])
    XCTAssertEqual(object.info.storageClass, "WARM")
    var bytes: [UInt8] = []
    for try await chunk in object.body { bytes += chunk }
    XCTAssertEqual(bytes, Array("bytes".utf8))
    let sent = transport.requests
    XCTAssertEqual(sent.map(\.path), ["/2026/a%20b%2B%C3%A9.txt", "/2026/a%20b%2B%C3%A9.txt?versionId=V1"])
    XCTAssertEqual(sent.map(\.head.authority), [host, host])
    XCTAssertEqual(sent[0].header("x-obs-meta-author"), "mia")
    XCTAssertEqual(sent[0].header("x-obs-security-token"), "a/token+=")
  }

  func testUploadInParts() async throws {
    let transport = transport { request in
      if request.parameter("uploads") != nil {
        return .xml(
          """
          <InitiateMultipartUploadResult><Bucket>photos</Bucket><Key>large</Key><UploadId>0+/=</UploadId>
          </InitiateMultipartUploadResult>
          """)
      }
      return request.method == .put
        ? .status(200, headers: ["ETag": "\"\(request.parameter("partNumber") ?? "")\""])
        : .xml(
          """
          <CompleteMultipartUploadResult><Bucket>photos</Bucket><Key>large</Key><ETag>"all"</ETag>
          </CompleteMultipartUploadResult>
          """)
    }
    let uploaded = try await client(transport).upload([UInt8](repeating: 7, count: 250_000), to: "large")
    XCTAssertEqual(uploaded.etag, "\"all\"")
    XCTAssertEqual(transport.requests.count, 5)
  }

  func testListAndDelete() async throws {
    let transport = transport { request in
      guard request.method == .get else { return .xml("<DeleteResult/>") }
      let isFirst = request.parameter("marker") == nil
      return .xml(
        """
        <ListBucketResult><Name>photos</Name><EncodingType>url</EncodingType><IsTruncated>\(isFirst)</IsTruncated>\(isFirst ? "<NextMarker>a+b</NextMarker>" : "")
        <Contents><Key>\(isFirst ? "a+b" : "c%2Bd")</Key><Size>3</Size></Contents></ListBucketResult>
        """)
    }
    let client = client(transport)
    var keys: [String] = []
    for try await entry in client.list(prefix: "") { keys.append(entry.name) }
    XCTAssertEqual(keys, ["a b", "c+d"])
    XCTAssertEqual(transport.requests.last?.parameter("marker"), "a%20b")
    let report = try await client.delete(["a b", "c+d"])
    XCTAssertEqual(report.deleted, ["a b", "c+d"])
  }

  func testCopy() async throws {
    let transport = transport { _ in .xml("<CopyObjectResult><ETag>\"e\"</ETag></CopyObjectResult>") }
    let options = CopyOptions(attributes: UploadOptions(contentType: "text/plain"))
    let copied = try await client(transport).copy(
      CopySource(key: "a b", versionID: "V/1"), to: "c", options: options)
    XCTAssertEqual(copied.etag, "\"e\"")
    let sent = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(sent.header("x-obs-copy-source"), "/photos/a%20b?versionId=V%2F1")
    XCTAssertEqual(sent.header("x-obs-metadata-directive"), "REPLACE")
  }

  func testServiceErrorsAndUnsupportedOptionsAreReported() async throws {
    let transport = transport { _ in
      .xml("<Error><Code>NoSuchKey</Code><Message>no</Message><RequestId>R2</RequestId></Error>", status: 404)
    }
    do {
      _ = try await client(transport).head("a")
      XCTFail("the missing object was found")
    } catch let error as ServiceError {
      XCTAssertEqual(error.kind, .noSuchKey)
    }
    do {
      _ = try await client(transport).upload([1], to: "a", options: UploadOptions(forbidOverwrite: true))
      XCTFail("an unsupported condition was accepted")
    } catch let error as StorageError {
      XCTAssertEqual(error.code, .invalidOption)
    }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testWrongSecretIsRejected() async throws {
    let transport = transport { _ in .status(200) }
    let wrong = AccessKey(id: key.id, secret: Secret("another"), sessionToken: key.sessionToken)
    let client = StorageClient(.obs(bucket: "photos", region: "cn-north-4"), credentials: wrong, transport: transport)
    do {
      _ = try await client.upload([1], to: "a")
      XCTFail("a wrong secret was accepted")
    } catch let error as ServiceError {
      XCTAssertEqual(error.kind, .signatureMismatch)
    }
  }

  func testPresignedURLVerifies() async throws {
    let url = try await client(transport { _ in .status(200) })
      .presign(.put, "cat.jpg", contentType: "image/jpeg", validFor: .seconds(600))
    let path = String(url.url.dropFirst("https://\(host)".utf8.count))
    let request = HTTPRequest(
      method: url.method, scheme: "https", authority: host, path: path, headerFields: url.headers)
    let verifier = OBSVerifier()
    let claim = try XCTUnwrap(verifier.claim(in: request))
    let verified = try verifier.verify(claim, against: key, at: .now)
    XCTAssertEqual(verified.target.key, "cat.jpg")
    XCTAssertEqual(verified.signedHeaders, ["content-type"])
  }

  func testDefaultCredentialsAreReadFromTheEnvironment() async throws {
    func credential(_ variables: [String: String]) async throws -> AccessKey {
      let machine = ProviderContext(
        environment: { variables[$0] }, home: nil, files: NoFiles(), transport: ScriptedTransport([]))
      return try await CredentialChain.obsDefault.credential(in: machine)
    }
    let own = ["OBS_ACCESS_KEY_ID": "a", "OBS_SECRET_ACCESS_KEY": "b", "OBS_SECURITY_TOKEN": "c"]
    let cloud = ["HUAWEI_CLOUD_ACCESS_KEY_ID": "d", "HUAWEI_CLOUD_SECRET_ACCESS_KEY": "e"]
    let samples = ["HUAWEICLOUD_SDK_AK": "f", "HUAWEICLOUD_SDK_SK": "g"]
    let all = own.merging(cloud) { $1 }.merging(samples) { $1 }
    let first = try await credential(all)
    XCTAssertEqual(first, AccessKey(id: "a", secret: "b", sessionToken: "c"))
    let second = try await credential(cloud.merging(samples) { $1 })
    XCTAssertEqual(second, AccessKey(id: "d", secret: "e"))
    let third = try await credential(samples)
    XCTAssertEqual(third, AccessKey(id: "f", secret: "g"))
    do {
      _ = try await credential(["OBS_ACCESS_KEY_ID": "a"].merging(samples) { $1 })
      XCTFail("an incomplete key was skipped")
    } catch let error as CredentialError {
      XCTAssertEqual(error.code, .failed)
    }
    do {
      _ = try await credential([:])
      XCTFail("a missing key was accepted")
    } catch let error as CredentialError {
      let advice = error.declined.map(\.remedy)
      XCTAssertEqual(advice.count, 3)
      XCTAssertEqual(advice.last, "Set HUAWEICLOUD_SDK_AK and HUAWEICLOUD_SDK_SK.")
    }
  }

  func testEnvironmentProviderConforms() async throws {
    let machine = ProviderContext(
      environment: { ["OBS_ACCESS_KEY_ID": "id", "OBS_SECRET_ACCESS_KEY": "secret0canary"][$0] }, home: nil,
      files: NoFiles(), transport: ScriptedTransport([]))
    let empty = ProviderContext(
      environment: { _ in nil }, home: nil, files: NoFiles(), transport: ScriptedTransport([]))
    let report = await ProviderConformance(
      CredentialChain.obsDefault.bound(to: machine), failing: [CredentialChain.obsDefault.bound(to: empty)],
      secrets: ["secret0canary"]
    ).report()
    try report.throwIfFailed()
  }
}

/// A file reader without files.
private struct NoFiles: FileReader {
  func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents { throw .notFound }
}
