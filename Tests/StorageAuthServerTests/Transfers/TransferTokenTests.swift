// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import LocalCloud
import NIOCore
import NIOHTTP1
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests an app's client that requests transfers from the app's server as from a node; the server requests them from
/// LocalCloud's node.
final class TransferTokenTests: XCTestCase {
  private static let nodeKey = AccessKey(id: "nodekey", secret: "node-secret")
  private let lines = AuditLines()

  private func start(rate: RateLimit? = nil) async throws -> (app: String, cloud: LocalCloud) {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(Self.nodeKey)]))
    addTeardownBlock { await cloud.stop() }
    try await makeFolders(of: cloud)
    let access = AsperaNodeAccess.accessKey(id: Self.nodeKey.id.string, secret: Self.nodeKey.secret)
    let service = TransferTokenService(
      issuer: .setup(
        node: cloud.nodeURL, access: StaticCredentialProvider(access)),
      rate: rate, audit: lines.append, in: ProviderContext(transport: AsyncHTTPClientTransport.shared))
    let router = Router()
    router.group("api").transferTokens(from: service) { request, _ in
      guard let caller = request.headers[.authorization], caller.hasPrefix("Bearer user-") else {
        throw HTTPError(.unauthorized, message: "Log in first.")
      }
      let name = String(caller.dropFirst("Bearer user-".count))
      let policy = AccessPolicy([
        AccessRule(.write, objects: .prefix("uploads/\(name)/"), in: "node"),
        AccessRule(.read, objects: .prefix("shared/"), in: "node"),
      ])
      return TransferTokenRequest(caller: name, policy: policy, accessKey: "node")
    }
    return (try await RunningServer.start(router, self) + "/api", cloud)
  }

  /// Creates `/shared/a` and `/shared/film.mov` as folders.
  private func makeFolders(of cloud: LocalCloud) async throws {
    for path in ["/shared", "/shared/a", "/shared/film.mov"] {
      var request = HTTPClientRequest(url: "\(cloud.nodeURL)/files/create")
      request.method = .POST
      request.setBasicAuth(username: Self.nodeKey.id.string, password: Self.nodeKey.secret.reveal())
      request.body = .bytes(ByteBuffer(string: #"{"paths":[{"path":"\#(path)","type":"directory"}]}"#))
      let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
      XCTAssertEqual(response.status, .ok)
    }
  }

  private func issuer(_ app: String, as login: String = "user-alice") -> SetupTokenIssuer {
    .setup(
      node: app, access: StaticCredentialProvider(AsperaNodeAccess.bearer(Secret(login), accessKey: "app")))
  }

  private func grant(_ issuer: SetupTokenIssuer, _ spec: TransferSpec) async throws -> TransferCredential {
    try await issuer.issue(
      for: TokenRequest(session: "s", specification: spec),
      in: ProviderContext(transport: AsyncHTTPClientTransport.shared)
    ).credential
  }

  private func assertRefused(
    _ issuer: SetupTokenIssuer, _ spec: TransferSpec, _ words: String, line: UInt = #line
  ) async {
    do {
      let grant = try await grant(issuer, spec)
      XCTFail("\(String(describing: grant.specification?.paths)) was granted", line: line)
    } catch let error as CredentialError {
      XCTAssertEqual(error.code, .rejected, line: line)
      XCTAssertTrue(error.message.contains(words), error.message, line: line)
    } catch {
      XCTFail("\(error)", line: line)
    }
  }

  func testTransferWithinThePolicyIsSetUpWithAbsolutePaths() async throws {
    let (app, cloud) = try await start()
    let upload = TransferSpec(.send, [TransferPath("/home/alice/cat.jpg", to: "cat.jpg")], destinationRoot: "2026")
    let up = try await grant(issuer(app), upload)
    XCTAssertEqual(up.token?.kind, .transfer)
    XCTAssertEqual(up.specification?.destinationRoot, "/uploads/alice/2026")
    XCTAssertEqual(up.specification?.remoteHost, "127.0.0.1")
    let down = try await grant(issuer(app), TransferSpec(.receive, [TransferPath("/shared/film.mov")]))
    XCTAssertEqual(down.specification?.paths.map(\.source), ["/shared/film.mov"])
    XCTAssertEqual(cloud.statistics.transfers.setups, 2)
  }

  func testRequestOutsideThePolicyIsNotSentToTheNode() async throws {
    let (app, cloud) = try await start()
    let alice = issuer(app)
    for destination in ["/uploads/bob", "/", "/uploads/alice/../bob", "/uploads", "/shared"] {
      let file = TransferPath("/x", to: "cat.jpg")
      await assertRefused(alice, TransferSpec(.send, [file], destinationRoot: destination), "403")
    }
    for source in ["/uploads/alice/cat.jpg", "/", "/shared/../uploads/bob/x", "/etc/passwd"] {
      await assertRefused(alice, TransferSpec(.receive, [TransferPath(source)]), "403")
    }
    await assertRefused(
      alice, TransferSpec(.send, [TransferPath("/x", to: "../bob/x")], destinationRoot: "/uploads/alice"), "403")
    await assertRefused(
      alice, TransferSpec(.receive, [TransferPath("/shared/a"), TransferPath("/uploads/bob/b")]), "403")
    await assertRefused(issuer(app, as: "nobody"), TransferSpec(.receive, [TransferPath("/shared/a")]), "401")
    XCTAssertEqual(cloud.statistics.transfers.setups, 0)
    await assertRefused(alice, TransferSpec(.receive, [TransferPath("/shared/missing")]), "404")
    XCTAssertEqual(cloud.statistics.transfers.setups, 1)
  }

  private func setUp(
    _ request: String, _ direction: String = "upload", at app: String, as login: String? = nil
  ) async throws -> JSONValue {
    let elements = try await setUp([request], direction, at: app, as: login)
    return try XCTUnwrap(elements.first)
  }

  /// Requests transfers, and returns the element of each, or the response if it has none.
  private func setUp(
    _ requests: [String], _ direction: String, at app: String, as login: String? = nil
  ) async throws -> [JSONValue] {
    var call = HTTPClientRequest(url: "\(app)/files/\(direction)_setup")
    call.method = .POST
    if let login {
      call.setBasicAuth(username: Self.nodeKey.id.string, password: login)
    } else {
      call.headers.add(name: "Authorization", value: "Bearer user-alice")
    }
    let members = requests.map { #"{"transfer_request":\#($0)}"# }.joined(separator: ",")
    call.body = .bytes(ByteBuffer(string: #"{"transfer_requests":[\#(members)]}"#))
    let response = try await HTTPClient.shared.execute(call, timeout: .seconds(60))
    let answer = try JSONValue(parsing: try await response.body.collect(upTo: 1 << 20).readableBytesView)
    return answer["transfer_specs"]?.array ?? [answer]
  }

  func testUploadWithoutDestinationsGoesToItsRoot() async throws {
    let (app, cloud) = try await start()
    let root = #""destination_root":"/uploads/alice/""#
    for paths in ["[{}]", "[]", #"[{"source":"/home/a"},{"source":"/home/b"}]"#] {
      let element = try await setUp(#"{"paths":\#(paths),\#(root)}"#, at: app)
      let specification = try XCTUnwrap(element["transfer_spec"], "\(paths): \(element)")
      XCTAssertEqual(specification["destination_root"], "/uploads/alice", paths)
      XCTAssertEqual(specification["paths"], [["destination": "/uploads/alice"]], paths)
      // A node accepts the same body.
      let nodeElement = try await setUp(
        #"{"paths":\#(paths),\#(root)}"#, at: cloud.nodeURL, as: Self.nodeKey.secret.reveal())
      XCTAssertNotNil(nodeElement["transfer_spec"]?["token"]?.string, "\(paths): \(nodeElement)")
    }
    let setups = cloud.statistics.transfers.setups
    for folder in ["/uploads/bob", "/uploads", "/", "/uploads/alice/../bob", "../bob"] {
      let element = try await setUp(#"{"paths":[{}],"destination_root":"\#(folder)"}"#, at: app)
      XCTAssertEqual(element["error"]?["code"]?.integer, 403, "\(folder): \(element)")
    }
    XCTAssertEqual(cloud.statistics.transfers.setups, setups)
  }

  func testNoPathOfARequestIsDropped() async throws {
    let (app, cloud) = try await start()
    let root = #","destination_root":"/uploads/alice""#
    for (direction, members) in [
      ("upload", #""paths":[{"destination":"a"},{"source":"b"}]"# + root), ("upload", #""paths":[{}]"#),
      ("upload", #""paths":[{"destination":"/uploads/alice/a"},{}]"#), ("upload", #""paths":[]"#),
      ("upload", #""paths":[{"destination":7}]"# + root), ("upload", #""paths":["a"]"# + root),
      ("upload", #""paths":{"destination":"a"}"# + root), ("download", #""paths":[{"source":"/shared/a"},{}]"#),
      ("download", #""paths":[{"destination":"a"}],"source_root":"/shared""#), ("download", #""paths":[]"#),
    ] {
      let answer = try await setUp("{\(members)}", direction, at: app)
      XCTAssertEqual(answer["error"]?["code"]?.integer, 400, "\(direction) \(members): \(answer)")
    }
    XCTAssertEqual(cloud.statistics.transfers.setups, 0)
  }

  func testMalformedRequestIsCountedAndLoggedAndOthersAreSetUp() async throws {
    let (app, cloud) = try await start(rate: RateLimit(burst: 2, every: .seconds(3600)))
    let elements = try await setUp(
      [#"{"paths":[{}]}"#, #"{"paths":[{"source":"/shared/a"}]}"#], "download", at: app)
    XCTAssertEqual(elements.first?["error"]?["code"]?.integer, 400, "\(elements)")
    XCTAssertNotNil(elements.last?["transfer_spec"], "\(elements)")
    let third = try await setUp(#"{"paths":[{}]}"#, "download", at: app)
    XCTAssertEqual(third["error"]?["code"]?.integer, 429, "\(third)")
    XCTAssertEqual(
      lines.all.map(\.subject),
      [[], ["/shared/a"], []].map { .transfer(.receive, paths: $0) })
    guard case .refused(.notAllowed) = lines.all.first?.outcome, case .issued = lines.all.dropFirst().first?.outcome,
      case .refused(.tooManyRequests) = lines.all.last?.outcome
    else { return XCTFail("\(lines.all)") }
    XCTAssertEqual(cloud.statistics.transfers.setups, 1)
  }

  func testPublicKeyIsOneLineWithoutOptions() async throws {
    let (app, cloud) = try await start()
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJfPuzXKb5DyJ4CRFrIEZ2sb/oGsP2tkT0XGMr4dZ8ud alice"
    var spec = TransferSpec(.receive, [TransferPath("/shared/a")])
    for lines in ["\(key)\n\(key)", "command=\"sh\" \(key)", "restrict,pty \(key)", "ssh-ed25519", "ssh-rsa x y", ""] {
      spec.fields["public_keys"] = .string(lines)
      await assertRefused(issuer(app), spec, "400")
    }
    XCTAssertEqual(cloud.statistics.transfers.setups, 0)
    spec.fields["public_keys"] = .string(key)
    _ = try await grant(issuer(app), spec)
    XCTAssertEqual(cloud.statistics.transfers.setups, 1)
  }

  func testCallerOverItsRateIsRejected() async throws {
    let (app, _) = try await start(rate: RateLimit(burst: 1, every: .seconds(3600)))
    let spec = TransferSpec(.receive, [TransferPath("/shared/a")])
    _ = try await grant(issuer(app), spec)
    do {
      _ = try await grant(issuer(app), spec)
      XCTFail("the transfer was granted")
    } catch let error as CredentialError {
      XCTAssertTrue(error.isRetryable)
      XCTAssertTrue(error.message.contains("429"), error.message)
    }
    _ = try await grant(issuer(app, as: "user-bob"), spec)
  }

  func testAuditLogContainsPathsButNoToken() async throws {
    let (app, _) = try await start()
    let granted = try await grant(issuer(app), TransferSpec(.receive, [TransferPath("/shared/a")]))
    await assertRefused(issuer(app), TransferSpec(.receive, [TransferPath("/secret")]), "403")
    XCTAssertEqual(lines.all.map(\.caller), ["alice", "alice"])
    XCTAssertEqual(
      lines.all.map(\.subject), [.transfer(.receive, paths: ["/shared/a"]), .transfer(.receive, paths: ["/secret"])])
    let token = try XCTUnwrap(granted.token)
    guard case .issued(let id, _) = lines.all[0].outcome else { return XCTFail("no token was issued") }
    XCTAssertEqual(id, token.fingerprint)
    var shown = "\(lines.all)"
    dump(lines.all, to: &shown)
    XCTAssertFalse(shown.contains(token.secret.reveal()))
  }

  func testAuditLogContainsThePathsBelowTheRoot() async throws {
    let (app, _) = try await start()
    let (download, upload) = (#""source_root":"/shared""#, #""destination_root":"/uploads/alice/""#)
    for (direction, request) in [
      ("download", #"{"paths":[{"source":"a"}],\#(download)}"#),
      ("download", #"{"paths":[{"source":"a"}],"source_root":"/secret/"}"#),
      ("upload", #"{"paths":[{"destination":"b"}],\#(upload)}"#), ("upload", #"{"paths":[{}],\#(upload)}"#),
    ] { _ = try await setUp(request, direction, at: app) }
    XCTAssertEqual(
      lines.all.map(\.subject),
      [
        .transfer(.receive, paths: ["/shared/a"]), .transfer(.receive, paths: ["/secret/a"]),
        .transfer(.send, paths: ["/uploads/alice/b"]), .transfer(.send, paths: ["/uploads/alice/"]),
      ])
  }

  func testPathsAreLoggedUpToALimit() async throws {
    let (app, _) = try await start()
    let paths = ["/" + String(repeating: "a", count: 100_000)] + (1..<1_000).map { "/secret/\($0)" }
    await assertRefused(issuer(app), TransferSpec(.receive, paths.map { TransferPath($0) }), "403")
    let log = LogLines()
    for line in lines.all { TokenAudit.log(to: log.logger)(line) }
    let line = try XCTUnwrap(log.all.first)
    XCTAssertLessThan(line.utf8.count, 4_000)
    XCTAssertLessThan("\(lines.all[0])".utf8.count, 2_000)
    XCTAssertTrue(line.contains("/secret/9") && !line.contains("/secret/10"), line)
    XCTAssertTrue(line.contains("1000"), line)
  }
}
