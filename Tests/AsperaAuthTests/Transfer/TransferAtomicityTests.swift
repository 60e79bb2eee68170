// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests that a failed signature leaves the specification unchanged.
final class TransferAtomicityTests: XCTestCase {
  // matrix: Aspera transfer (password): atomicity
  // matrix: Aspera transfer (key): atomicity
  // matrix: Aspera transfer (token): atomicity
  // matrix: Aspera transfer (issuer): atomicity
  func testSpecificationThatCannotBeSignedIsUnchanged() throws {
    let now = Timestamp(unixSeconds: 1_800_000_000)
    let password = try AsperaAccount(host: "h", user: "mia", password: Secret("pw"), requiresToken: true)
    let key = try AsperaAccount(host: "h", user: "mia", privateKey: .pem(Secret(#"a\nb"#)))
    let token = try AsperaToken(Secret("t"))
    func answer(_ json: String) throws -> TransferCredential {
      TransferCredential(token: token, specification: try TransferSpec(json: Array(json.utf8)))
    }
    let cases: [(String, AsperaAccount?, TransferCredential, SigningError.Code)] = [
      ("no token", password, TransferCredential(token: nil), .invalidCredential),
      ("a key with backslashes", key, TransferCredential(token: token), .invalidCredential),
      ("no server", nil, TransferCredential(token: token), .invalidRequest),
      ("an ended grant", password, TransferCredential(token: token, expiration: now), .credentialEndsFirst),
      ("another user", password, try answer(#"{"remote_user":"x"}"#), .invalidCredential),
      ("a broken host key", password, try answer(#"{"sshfp":"x"}"#), .invalidRequest),
      ("a cipher that is none", password, try answer(#"{"cipher":"rot13"}"#), .invalidRequest),
      ("a port that is none", password, try answer(#"{"ssh_port":0}"#), .invalidRequest),
      ("the other direction", password, try answer(#"{"direction":"receive"}"#), .invalidCredential),
    ]
    var before = TransferSpec(.send, [TransferPath("/a")])
    before.fields["made_up"] = 1
    for (name, account, grant, code) in cases {
      var specification = before
      XCTAssertThrowsError(try TransferSigner(account: account).sign(&specification, with: grant, in: .at(now)), name) {
        XCTAssertEqual(($0 as? SigningError)?.code, code, "\(name): \($0)")
        XCTAssertFalse("\($0)".contains("pw"))
      }
      XCTAssertEqual(specification.json, before.json, name)
    }
  }
}
