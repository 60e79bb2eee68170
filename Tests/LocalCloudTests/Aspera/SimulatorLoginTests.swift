// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// Tests how the simulator authenticates with passwords and keys, and how it verifies the host key.
final class SimulatorLoginTests: SimulatorTestCase {
  /// An ECDSA key, generated for this test, whose passphrase is open-sesame.
  private static let encryptedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgB+HwzNGGWiwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEN3Xj0afTaL2Wj7FQEvy4PQEgZAa
    M1p9kPpwkab+rGrwxId3yiXkYfW2plLDD7q9ZMrotm/qFyynf5nieGNQPmVXDpDx
    byYb7IKN8dzdHolsy1FyY+1PWA7lHnUEc1qfOjWuChh/Z+cXAOj7DngQ4QnGb2n/
    U07uhCFs7kSmS8yzD8hYGkWl+BctDHGxV/64mD5zQ2KxhntHVnsbjOD10/+h8yc=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  // matrix: Aspera transfer (password): bad input
  func testWrongPasswordIsReportedAsCode19WithoutDetails() async throws {
    try await withNode { [self] cloud, _ in
      for password in ["wrong", "", "xfer-password"] {
        let outcome = try await Simulator.run(
          arguments("send", cloud, ["/dev/null"], to: "/a"), ["ASPERA_SCP_PASS": password])
        XCTAssertEqual(outcome.status, 1)
        XCTAssertEqual(outcome.kinds, ["INIT", "SESSION", "ERROR"])
        XCTAssertEqual(outcome.code, 19)
        XCTAssertTrue(outcome.text.contains("authenticate"))
        if !password.isEmpty { XCTAssertFalse(outcome.errors.contains(password)) }
      }
      XCTAssertEqual(cloud.statistics[.transfer].refused, ["19": 3])
    }
  }

  func testTestLoginReportsTheResultInItsExitStatusWithoutFrames() async throws {
    try await withNode { cloud, _ in
      func login(_ environment: [String: String]) async throws -> SimulatorOutcome {
        try await Simulator.run(
          ["--mode=test-login", "--host", "127.0.0.1", "--user", "mia", "-P", "\(cloud.transferPort)"], environment)
      }
      let taken = try await login(Self.password)
      XCTAssertEqual(taken.status, 0, taken.errors)
      XCTAssertEqual(taken.kinds, [])
      let refused = try await login(["ASPERA_SCP_PASS": "wrong"])
      XCTAssertEqual(refused.status, 1)
      XCTAssertEqual(refused.kinds, [])
      XCTAssertTrue(refused.errors.contains("authenticate"))
      XCTAssertEqual(cloud.statistics.transfers.sessions, 0)
    }
  }

  func testKeyFromASetupCallAuthenticates() async throws {
    try await withNode { [self] cloud, client in
      let keys = try [
        PrivateKey.generateRSA(bits: 2048), PrivateKey.generateECDSA(.nistp256), PrivateKey.generateEd25519(),
      ]
      let file = try write([1], to: "a", in: makeDirectory())
      for (number, key) in keys.enumerated() {
        let pem = try pem(of: key)
        let paths: JSONValue = [["destination": .string("/\(number)")]]
        let answer = try await client.setup(
          "upload_setup", ["paths": paths, "public_keys": .string(line(of: key))])
        let environment = ["ASPERA_SCP_KEY": pem, "ASPERA_SCP_TOKEN": try XCTUnwrap(answer?["token"]?.string)]
        let outcome = try await Simulator.run(
          arguments("send", cloud, user: "xfer", [file], to: "/\(number)"), environment)
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let escaped = pem.replacingOccurrences(of: "\n", with: "\\n")
        let refused = try await Simulator.run(
          arguments("send", cloud, user: "xfer", [file], to: "/\(number)"), ["ASPERA_SCP_KEY": escaped])
        XCTAssertEqual(refused.code, 19)
      }
      let stranger = try pem(of: .generateEd25519())
      let outcome = try await Simulator.run(
        arguments("send", cloud, user: "xfer", [file], to: "/x"), ["ASPERA_SCP_KEY": stranger])
      XCTAssertEqual(outcome.code, 19)
    }
  }

  func testKeyFromARefusedSetupCallIsNotAdded() async throws {
    try await withNode { [self] cloud, client in
      let key = try PrivateKey.generateEd25519()
      let (line, paths): (String, JSONValue) = (try line(of: key), [["destination": "/up"]])
      for request: JSONValue in [
        ["paths": paths, "public_keys": .string(line), "token_life_seconds": 0],
        ["paths": paths, "public_keys": [.string(line), "no key"]],
      ] {
        let answer = try await client.setup("upload_setup", request)
        XCTAssertNil(answer)
      }
      let file = try write([1], to: "a", in: makeDirectory())
      let outcome = try await Simulator.run(
        arguments("send", cloud, user: "xfer", [file], to: "/up"), ["ASPERA_SCP_KEY": try pem(of: key)])
      XCTAssertEqual(outcome.code, 19)
    }
  }

  func testKeyFilesAreTriedInOrderAndThePassphraseIsAlsoThePassword() async throws {
    let key = try PrivateKey(pem: Self.encryptedKey, passphrase: "open-sesame")
    try await withNode { [self] cloud, client in
      let added = try await client.post("/public_keys", ["username": "mia", "public_key": .string(line(of: key))])
      XCTAssertEqual(added.status, 201)
      let here = try makeDirectory()
      let encrypted = try write(Array(Self.encryptedKey.utf8), to: "key", in: here)
      let useless = try write(Array("no key".utf8), to: "useless", in: here)
      func login(_ keys: [String], _ password: String?) async throws -> SimulatorOutcome {
        try await Simulator.run(
          arguments("send", cloud, [useless], to: "/a", keys.flatMap { ["-i", $0] }),
          password.map { ["ASPERA_SCP_PASS": $0] } ?? [:])
      }
      var outcome = try await login([useless, encrypted], "open-sesame")
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      outcome = try await login([encrypted], "mia-password")
      XCTAssertEqual(outcome.status, 0, "the passphrase is wrong, but it is the password")
      outcome = try await login([encrypted], "wrong")
      XCTAssertEqual(outcome.code, 19)
      outcome = try await login([encrypted], nil)
      XCTAssertEqual(outcome.code, 19)
      outcome = try await login(["\(here)/missing"], "mia-password")
      XCTAssertEqual(outcome.code, 4)
      XCTAssertTrue(outcome.text.contains("\(here)/missing"))
    }
  }

  func testNoSecretIsSentToAHostWithAnotherKey() async throws {
    try await withNode { [self] cloud, _ in
      let right = cloud.transferHostKey.description
      let wrong = [String(right.reversed()), right.uppercased() + "A", "SHA256:x"]
      for fingerprint in wrong {
        let outcome = try await refusal(cloud, user: "mia", ["--check-sshfp", fingerprint])
        XCTAssertEqual(outcome.code, 51)
      }
      XCTAssertEqual(cloud.statistics.transfers.connections, 3)
      XCTAssertEqual(cloud.statistics.transfers.logins, 0)
      let taken = try await refusal(cloud, user: "mia", ["--check-sshfp", right])
      XCTAssertEqual(taken.status, 0, taken.errors)
    }
  }
}
