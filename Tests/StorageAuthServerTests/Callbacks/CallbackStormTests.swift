// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests that forged callbacks, however many, do not keep genuine ones out of a server that has fetched no key yet.
final class CallbackStormTests: XCTestCase {
  private static let signer = try? PrivateKey.generateRSA(bits: 1024)
  private static let published = "https://gosspublic.alicdn.com/callback_pub_key_v1.pem"

  private func request(_ url: String = published, signed: Bool = true) throws -> HTTPRequest {
    let signature = try XCTUnwrap(Self.signer).sign(Array((signed ? "/a\n" : "/b\n").utf8) + [1], with: .rsaPKCS1MD5)
    var request = HTTPRequest(method: .post, scheme: "http", authority: "app", path: "/a")
    request.headerFields[.authorization] = signature.base64
    request.headerFields[try XCTUnwrap(HTTPField.Name("x-oss-pub-key-url"))] = Array(url.utf8).base64
    return request
  }

  private func refusal(_ verifier: CallbackVerifier, _ request: HTTPRequest) async -> CallbackRefusal.Code? {
    do {
      _ = try await verifier.verify(request, body: [1])
      return nil
    } catch {
      return error.code
    }
  }

  // matrix: OSS callback: forgery
  func testGenuineCallbackIsVerifiedAfterEachStorm() async throws {
    let pem = try XCTUnwrap(XCTUnwrap(Self.signer).publicKey.pem)
    let transport = ScriptedTransport { $0.path == "/callback_pub_key_v1.pem" ? .text(pem) : .status(404) }
    let storms: [(String, (Int) -> String)] = [
      ("other names", { "https://gosspublic.alicdn.com/\($0).pem" }),
      ("other folders", { "https://gosspublic.alicdn.com/\($0)/callback_pub_key_v1.pem" }),
      ("other spellings", { "https://gosspublic.alicdn.com//callback_pub_key_v1.pem/\($0)" }),
      ("other versions", { "https://gosspublic.alicdn.com/callback_pub_key_v\(2 + $0).pem" }),
      ("one name", { _ in "https://gosspublic.alicdn.com/none.pem" }),
      ("the genuine name", { _ in Self.published }),
    ]
    for (name, url) in storms {
      let time = ManualClock()
      let verifier = CallbackVerifier(transport: transport, time: time)
      // Ten forgeries a minute for ten minutes, and then two hundred at once.
      for number in 0..<300 {
        let forged = await refusal(verifier, try request(url(number), signed: false))
        XCTAssertNotNil(forged, name)
        if number < 100 { time.advance(by: .seconds(6)) }
      }
      let genuine = await refusal(verifier, try request())
      XCTAssertNil(genuine, name)
    }
  }

  func testStormCausesABoundedNumberOfFetches() async throws {
    let transport = ScriptedTransport { _ in .status(404) }
    let time = ManualClock()
    let verifier = CallbackVerifier(
      keyHosts: ["gosspublic.alicdn.com", "keys.example.test"], transport: transport, time: time)
    // A minute of a thousand different URLs, and of every name that a key may have, on each of two hosts.
    for second in 0..<60 {
      for host in ["gosspublic.alicdn.com", "keys.example.test"] {
        for number in 0..<20 {
          _ = await refusal(verifier, try request("https://\(host)/\(second)/\(number).pem"))
          _ = await refusal(verifier, try request("https://\(host)/callback_pub_key_v\(number).pem"))
        }
      }
      time.advance(by: .seconds(1))
    }
    let hosts = Dictionary(grouping: transport.requests, by: { $0.head.authority ?? "" }).mapValues(\.count)
    XCTAssertEqual(Set(hosts.keys), ["gosspublic.alicdn.com", "keys.example.test"])
    // Ten from other paths, and six for each of the nine published ones: after 0, 1, 3, 7, 15 and 31 seconds.
    for (host, count) in hosts { XCTAssertEqual(count, 10 + 9 * 6, host) }
  }

  func testGenuineKeyIsFetchedSoonAfterAFailure() async throws {
    let pem = try XCTUnwrap(XCTUnwrap(Self.signer).publicKey.pem)
    let transport = ScriptedTransport([.status(503), .status(503), .text(pem)])
    let time = ManualClock()
    let verifier = CallbackVerifier(transport: transport, time: time)
    for (advance, fetches, expected) in [
      (0, 1, .keyUnavailable), (0, 1, .keyUnavailable), (1, 2, .keyUnavailable), (1, 2, .keyUnavailable), (1, 3, nil),
    ] as [(Int, Int, CallbackRefusal.Code?)] {
      time.advance(by: .seconds(advance))
      let code = await refusal(verifier, try request())
      XCTAssertEqual(code, expected)
      XCTAssertEqual(transport.requests.count, fetches)
    }
  }

  func testKeysFromOtherPathsDoNotEvictThePublishedKey() async throws {
    let pem = try XCTUnwrap(XCTUnwrap(Self.signer).publicKey.pem)
    let transport = ScriptedTransport { _ in .text(pem) }
    let verifier = CallbackVerifier(transport: transport, time: ManualClock())
    let first = await refusal(verifier, try request())
    XCTAssertNil(first)
    for number in 0..<10 { _ = await refusal(verifier, try request("https://gosspublic.alicdn.com/\(number).pem")) }
    XCTAssertEqual(transport.requests.count, 11)
    let again = await refusal(verifier, try request())
    XCTAssertNil(again)
    XCTAssertEqual(transport.requests.count, 11)
  }
}
