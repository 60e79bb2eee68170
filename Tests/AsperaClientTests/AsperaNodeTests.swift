// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import ClientTestSupport
import Foundation
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests requests to the Node API: authentication, errors, retries and key validation.
final class AsperaNodeTests: XCTestCase {
  private let service = NodeService()

  func testHeadReturnsSizeAndModificationTime() async throws {
    service.put([1, 2, 3], at: "/2026/cat.jpg")
    let transport = RecordingTransport(service.reply)
    let info = try await asperaClient(transport).head("2026/cat.jpg")
    XCTAssertEqual(info.size, 3)
    XCTAssertEqual(info.lastModified, Timestamp(iso8601: "2026-11-20T08:00:00Z"))
    let request = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(request.method, .post)
    XCTAssertEqual(request.url, "http://127.0.0.1:9/files/browse")
    XCTAssertEqual(request.headers[.contentType], "application/json")
    XCTAssertEqual(request.headers[.contentLength], "\(request.body.count)")
    XCTAssertEqual(try JSONValue(parsing: request.body)["path"]?.string, "/2026/cat.jpg")
  }

  func testFoldersOfOneNodeAreNotSynchronizedIntoEachOther() async throws {
    let transport = RecordingTransport(service.reply)
    for (source, target, other, isRefused) in [
      ("/", "/backup", "127.0.0.1:9", true), ("/backup", "/", "127.0.0.1:9", true),
      ("/backup", "/", "localhost:9", true), ("/a", "/b", "127.0.0.1:9", false), ("/a", "/ab", "127.0.0.1:9", false),
      ("/", "/backup", "127.0.0.1:10", false),
    ] {
      let sync = FolderSync(
        from: .objects(in: asperaClient(transport, root: source)),
        to: .objects(in: asperaClient(transport, node: "http://\(other)", root: target)))
      var code: StorageError.Code?
      do { _ = try await sync.preview() } catch let error as StorageError { code = error.code } catch {}
      XCTAssertEqual(code == .invalidOption, isRefused, "\(source) to \(target) of \(other)")
    }
  }

  func testFoldersAndMissingFilesAreNoSuchKey() async throws {
    service.makeFolder("/2026")
    for key in ["2026", "missing"] {
      await assertThrows(
        ServiceError.self, { _ = try await asperaClient(RecordingTransport(service.reply)).head(key) }
      ) {
        XCTAssertEqual($0.kind, .noSuchKey)
        XCTAssertEqual($0.status, .notFound)
        XCTAssertEqual($0.subject, "browse aspera://127.0.0.1:9/\(key)")
      }
    }
  }

  // matrix: Aspera Node (basic): header
  // matrix: Aspera Node (bearer): header
  func testEachKindOfAccessIsSent() async throws {
    let kinds: [(AsperaNodeAccess, String, String?)] = [
      (.basic(user: "mia", password: Secret("pw")), "Basic " + Data("mia:pw".utf8).base64EncodedString(), nil),
      (.accessKey(id: "ak", secret: Secret("s")), "Basic " + Data("ak:s".utf8).base64EncodedString(), nil),
      (.bearer(Secret("eJtoken"), accessKey: "ak"), "Bearer eJtoken", "ak"),
    ]
    service.accept(Set(kinds.map(\.1)))
    service.put([], at: "/k")
    let identified = IdentifiedNode(accepting: ["Bearer eJtoken"])
    identified.put([], at: "k")
    for (access, authorization, accessKey) in kinds {
      let transport = RecordingTransport(accessKey == nil ? service.reply : identified.reply)
      let client = StorageClient(.aspera(node: nodeURL, access: access), transport: transport)
      _ = try await client.head("k")
      let headers = try XCTUnwrap(transport.requests.first).headers
      XCTAssertEqual(headers[.authorization], authorization)
      XCTAssertEqual(headers[try XCTUnwrap(HTTPField.Name("X-Aspera-AccessKey"))], accessKey)
    }
  }

  // matrix: Aspera Node (basic): forced refresh
  func testRejectedAccessIsRefreshedOnce() async throws {
    service.put([], at: "/k")
    let old = AsperaNodeAccess.basic(user: "mia", password: Secret("an-old-one"))
    let source = ScriptedProvider([.credential(old), .credential(nodeAccess)])
    let log = EventLog()
    let client = StorageClient(
      .aspera(node: nodeURL), credentials: source, configuration: .test, transport: RecordingTransport(service.reply),
      events: log.events, time: RushingTime())
    _ = try await client.head("k")
    XCTAssertEqual(log.signatures.map(\.identity), ["mia", "mia"])
    XCTAssertEqual(log.retries.count, 1)
    service.accept([])
    await assertThrows(ServiceError.self, { _ = try await client.head("k") }) {
      XCTAssertEqual($0.kind, .invalidCredential)
      XCTAssertEqual($0.message, "Who are you?")
    }
  }

  func testTransientNodeErrorIsRetried() async throws {
    let answer = #"{"self":{"type":"file","basename":"k","size":1}}"#
    let transport = RecordingTransport(replies: [
      HTTPStreamingResponse(503, #"{"error":{"code":503,"reason":"Busy"}}"#), HTTPStreamingResponse(200, answer),
    ])
    let info = try await asperaClient(transport).head("k")
    XCTAssertEqual(info.size, 1)
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testErrorInASuccessfulResponseIsAnError() async throws {
    let answer = #"{"error":{"code":"403","reason":"Forbidden","user_message":"Not  yours: Basic bWlhOnB3LXB3\n"}}"#
    let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, answer) }
    await assertThrows(ServiceError.self, { _ = try await asperaClient(transport).head("k") }) {
      XCTAssertEqual($0.kind, .accessDenied)
      XCTAssertEqual($0.code, "403")
      XCTAssertEqual($0.message, "Not yours: Basic \(Secret.mask)")
    }
  }

  func testMalformedNodeResponseIsRejected() async throws {
    for body in ["", "<html>", "[]", "{}", #"{"self":{"type":7}}"#] {
      let transport = RecordingTransport { _ throws(TransportError) in HTTPStreamingResponse(200, body) }
      await assertThrows(StorageError.self, { _ = try await asperaClient(transport).head("k") }) {
        XCTAssertEqual($0.code, .malformedResponse)
      }
    }
  }

  func testSecretIsNotSentOverPlainHTTP() async throws {
    let transport = RecordingTransport(service.reply)
    let client = asperaClient(transport, node: "http://node.example.com:9091")
    await assertThrows(StorageError.self, { _ = try await client.head("k") }) {
      XCTAssertEqual($0.code, .insecureConnection)
    }
    XCTAssertEqual(transport.requests.count, 0)
  }

  // matrix: Aspera Node (basic): bad input
  func testInvalidKeysAreRejected() async throws {
    let transport = RecordingTransport(service.reply)
    let client = asperaClient(transport, root: "/photos")
    for key in ["", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\nb", "a\0"] {
      await assertThrows(StorageError.self, { _ = try await client.head(key) }) {
        XCTAssertEqual($0.code, .invalidKey, key)
      }
      await assertThrows(StorageError.self) { try await client.delete([key]) }
      await assertThrows(StorageError.self) { try await client.deleteFolder(key) }
      await assertThrows(StorageError.self) { try await client.upload([1], to: key) }
    }
    XCTAssertEqual(transport.requests.count, 0)
  }

  func testInvalidNodeURLIsReportedByTheFirstOperation() async throws {
    for node in ["node.example.com", "ftp://node", "https://mia:pw@node", "https://node?x", "https://node#x"] {
      let client = asperaClient(RecordingTransport(service.reply), node: node)
      await assertThrows(SigningError.self, { _ = try await client.head("k") }) {
        XCTAssertEqual($0.code, .invalidConfiguration, node)
      }
      await assertThrows(SigningError.self) { _ = try await client.list().names }
    }
    await assertThrows(SigningError.self) {
      _ = try await asperaClient(RecordingTransport(service.reply), root: "/a/../b").head("k")
    }
  }

  func testPathOfTheNodeURLPrecedesThePathsOfTheAPI() async throws {
    let transport = RecordingTransport(service.reply)
    let client = asperaClient(transport, node: "http://127.0.0.1:9/node_api/")
    _ = try? await client.head("k")
    XCTAssertEqual(transport.requests.map(\.path), ["/node_api/files/browse"])
  }
}
