// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import XCTest

/// Tests the encoding, parsing and verification of bearer tokens.
final class NodeBearerTokenTests: XCTestCase {
  private let end = Timestamp(unixSeconds: 1_893_456_000)

  /// The claims of the vector.
  private var claims: NodeBearerClaims {
    NodeBearerClaims(userID: "666", scope: NodeScope(accessKey: "my_access_key"), expiration: end)
  }

  private func unpacked(_ token: NodeBearerToken) throws -> String {
    let packed = try XCTUnwrap([UInt8](base64: token.secret.reveal()))
    return String(decoding: try Zlib.decompress(packed, limit: 65_536), as: UTF8.self)
  }

  // matrix: Aspera Node (bearer): header
  func testVectorIsReproduced() throws {
    let vectors = try TokenVectors()
    let token = try NodeBearerToken(claims, signedWith: try vectors.bearerKey())
    XCTAssertEqual(try unpacked(token), try vectors.text("node_bearer_token", "plaintext_before_deflate"))
    XCTAssertTrue(token.secret.reveal().hasPrefix("eJ"))
    XCTAssertFalse(token.secret.reveal().contains("\n"))
  }

  func testKeyIsReadFromAFileThatOthersCannotRead() throws {
    let vectors = try TokenVectors()
    var machine = NodeMachine(files: ["/k.pem": try vectors.text("node_bearer_token", "private_key_pem_test_only")])
    let key = try NodeBearerKey(.file("/k.pem"), on: machine.access)
    XCTAssertEqual(key.publicKeyPEM, try vectors.bearerKey().publicKeyPEM)
    machine.permissions = 0o644
    XCTAssertThrowsError(try NodeBearerKey(.file("/k.pem"), on: machine.access)) {
      XCTAssertEqual(($0 as? AsperaError)?.code, .insecureKeyFile)
    }
  }

  // matrix: Aspera Node (bearer): verify
  func testVectorIsParsedAndVerified() throws {
    let vectors = try TokenVectors()
    let publicKey = try vectors.text("node_bearer_token", "public_key_pem")
    for name in ["token", "authorization_header"] {
      let token = try NodeBearerToken(Secret(try vectors.text("node_bearer_token", name)))
      XCTAssertEqual(token.claims, claims)
      XCTAssertEqual(JSONValue.object(token.claims.fields), vectors["node_bearer_token"]["decode_expect"])
      XCTAssertEqual(token.claims.userID, "666")
      XCTAssertEqual(token.claims.authType, "access_key")
      XCTAssertEqual(token.claims.expiration, end)
      XCTAssertEqual(token.claims.groupIDs, [])
      XCTAssertNil(token.claims.organizationID)
      let scope = try XCTUnwrap(token.claims.scope)
      XCTAssertEqual(
        vectors["node_bearer_token"]["scope_parse"],
        ["scope": .string(scope.description), "access_key": .string(scope.accessKey), "role": .string(scope.role)])
      try token.verify(with: publicKey)
    }
    XCTAssertEqual(try vectors.bearerKey().publicKeyPEM, publicKey)
  }

  func testAlternativeLayoutIsParsedAndVerified() throws {
    let vectors = try TokenVectors()
    let plaintext = try vectors.text("node_bearer_token", "plaintext_before_deflate")
    let (payload, signature) = try cut(plaintext)
    let publicKey = try vectors.text("node_bearer_token", "public_key_pem")
    let digits = signature.replacing("\n", with: "")
    let long = lines(of: digits, 76)
    let layouts = [
      "\(payload)==SIGNATURE==\n\(long)\n", "\(payload)\n==SIGNATURE==\n\(long)", "\(payload)==SIGNATURE==\(digits)",
      "\(payload)\n==SIGNATURE==\r\n\(long.replacing("\n", with: "\r\n"))\r\n",
    ]
    for layout in layouts {
      let token = try NodeBearerToken(packed(layout))
      XCTAssertEqual(token.claims, claims, layout)
      try token.verify(with: publicKey)
    }
  }

  func testClaimMayContainTheSignatureDelimiter() throws {
    let token = try NodeBearerToken(packed(#"{"user_id":"a==SIGNATURE==b"}==SIGNATURE==AAAA"#))
    XCTAssertEqual(token.claims.userID, "a==SIGNATURE==b")
  }

  func testEveryClaimIsPreserved() throws {
    let key = try TokenVectors().bearerKey()
    var claims = NodeBearerClaims(
      userID: "mia", scope: NodeScope(accessKey: "ak", role: NodeScope.admin), expiration: end,
      groupIDs: ["g1", "g2"], organizationID: "o1")
    claims.fields["something_new"] = ["deep": [1, true, "é"]]
    let token = try NodeBearerToken(NodeBearerToken(claims, signedWith: key).secret)
    XCTAssertEqual(token.claims, claims)
    XCTAssertEqual(token.claims.fields.names, claims.fields.names)
    XCTAssertEqual(token.claims.groupIDs, ["g1", "g2"])
    XCTAssertEqual(token.claims.organizationID, "o1")
    XCTAssertEqual(token.claims.scope, NodeScope(accessKey: "ak", role: "admin:all"))
    try token.verify(with: key.publicKeyPEM)
  }

  // matrix: Aspera Node (bearer): expiry
  func testExpirationIsParsedWithAndWithoutMilliseconds() throws {
    let key = try TokenVectors().bearerKey()
    for (text, end) in [
      ("2030-01-01T00:00:00Z", end), ("2030-01-01T00:00:00.500Z", end.advanced(by: .milliseconds(500))),
      ("2030-01-01T01:00:00+01:00", end),
    ] {
      var claims = claims
      claims.fields["expires_at"] = .string(text)
      let token = try NodeBearerToken(claims, signedWith: key)
      XCTAssertEqual(try NodeBearerToken(token.secret).claims.expiration, end)
      XCTAssertEqual(AsperaNodeAccess.bearer(token.secret, accessKey: "ak").expiration, end)
    }
    XCTAssertEqual(
      NodeBearerClaims(userID: "a", scope: NodeScope(accessKey: "ak"), expiration: end.advanced(by: .milliseconds(999)))
        .fields["expires_at"], "2030-01-01T00:00:00Z")
  }

  func testScopesAreParsed() {
    XCTAssertEqual(NodeScope("node.a.b:user:all"), NodeScope(accessKey: "a.b"))
    XCTAssertEqual(NodeScope("node.ak:x")?.role, "x")
    for text in ["", "user:all", "node.", "node.ak", "node.ak:", "node.:user:all", "Node.ak:user:all"] {
      XCTAssertNil(NodeScope(text), text)
    }
  }

  // matrix: Aspera Node (bearer): redaction
  func testNeitherTokenNorKeyIsShown() throws {
    let key = try TokenVectors().bearerKey()
    let token = try NodeBearerToken(claims, signedWith: key)
    let secrets = [String(token.secret.reveal().dropFirst(20).prefix(20))]
    XCTAssertEqual(DisplayedTexts(of: token).containing(secrets), [])
    XCTAssertEqual(DisplayedTexts(of: AsperaNodeAccess.bearer(token.secret, accessKey: "ak")).containing(secrets), [])
    XCTAssertEqual("\(token)", "NodeBearerToken(user: 666, scope: node.my_access_key:user:all, expiration: \(end))")
    XCTAssertEqual("\(key)", "NodeBearerKey(\(Secret.mask))")
    XCTAssertEqual(Mirror(reflecting: key).children.count, 0)
  }

  private func cut(_ plaintext: String) throws -> (payload: String, signature: String) {
    let range = try XCTUnwrap(plaintext.firstRange(of: "\n==SIGNATURE==\n"))
    return (String(plaintext[..<range.lowerBound]), String(plaintext[range.upperBound...]))
  }

  private func packed(_ plaintext: String) throws -> Secret {
    let packed = try XCTUnwrap(Zlib.compress(Array(plaintext.utf8)))
    return Secret(String(writing: { $0.append(base64: packed) }))
  }

  private func lines(of text: String, _ length: Int) -> String {
    let characters = Array(text)
    return stride(from: 0, to: characters.count, by: length)
      .map { String(characters[$0..<min($0 + length, characters.count)]) }.joined(separator: "\n")
  }
}
