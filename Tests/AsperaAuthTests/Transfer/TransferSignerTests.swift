// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests how an account and a grant are applied to a transfer specification.
final class TransferSignerTests: XCTestCase {
  private let now = Timestamp(unixSeconds: 1_800_000_000)
  private let fingerprint = "6d3b30e1682631885606914fed0f4ab95ca9a755"

  private func account(
    host: String = "aspera.example.com", key: AsperaPrivateKey? = nil, hostKey: String? = nil,
    requiresToken: Bool = false
  ) throws -> AsperaAccount {
    try AsperaAccount(
      host: host, user: "mia", password: key == nil ? Secret("pw") : nil, privateKey: key, sshPort: 22, udpPort: 40000,
      hostKey: hostKey.map { text in try HostKeyFingerprint(text) }, requiresToken: requiresToken)
  }

  private func grant(_ token: String? = nil, _ json: String? = nil, end: Timestamp? = nil) throws -> TransferCredential
  {
    TransferCredential(
      token: try token.map { try AsperaToken(Secret($0)) },
      specification: try json.map { try TransferSpec(json: Array($0.utf8)) }, expiration: end)
  }

  private let upload = TransferSpec(.send, [TransferPath("/src/a")], destinationRoot: "/dst")

  private func json(_ specification: TransferSpec) -> String { String(decoding: specification.json, as: UTF8.self) }

  // matrix: Aspera transfer (password): header
  func testPasswordIsAddedToTheSpecification() throws {
    let signed = try TransferSigner(account: account()).signed(upload, with: grant(), in: .at(now))
    XCTAssertEqual(
      json(signed),
      #"{"direction":"send","paths":[{"source":"/src/a"}],"destination_root":"/dst","remote_host":"aspera.example.com","#
        + #""remote_user":"mia","ssh_port":22,"fasp_port":40000,"remote_password":"pw"}"#)
  }

  // matrix: Aspera transfer (key): header
  func testKeyReplacesOtherCredentialsInTheSpecification() throws {
    var before = upload
    before.remotePassword = Secret("old")
    let inMemory = AsperaPrivateKey.pem(Secret("-----BEGIN\nx"), passphrase: Secret("phrase"))
    var signed = try TransferSigner(account: account(key: inMemory)).signed(before, with: grant(), in: .at(now))
    XCTAssertEqual(signed.sshPrivateKey?.reveal(), "-----BEGIN\nx")
    XCTAssertEqual(signed.sshPrivateKeyPassphrase?.reveal(), "phrase")
    XCTAssertNil(signed.remotePassword)
    signed = try TransferSigner(account: account(key: .file("~/id"))).signed(signed, with: grant(), in: .at(now))
    XCTAssertEqual(signed.sshPrivateKeyPath, "~/id")
    XCTAssertNil(signed.sshPrivateKey)
    XCTAssertNil(signed.sshPrivateKeyPassphrase)
  }

  // matrix: Aspera transfer (token): header
  func testGrantedTokenReplacesAFixedOne() throws {
    var before = upload
    before.token = Secret("fixed")
    let signer = try TransferSigner(account: account(requiresToken: true))
    XCTAssertEqual(try signer.signed(before, with: grant("new"), in: .at(now)).token?.reveal(), "new")
    XCTAssertEqual(try signer.signed(before, with: grant(), in: .at(now)).token?.reveal(), "fixed")
    XCTAssertEqual(
      try signer.signed(before, with: grant(nil, #"{"token":"in answer"}"#), in: .at(now)).token?.reveal(), "in answer")
    XCTAssertThrowsError(try signer.signed(upload, with: grant(), in: .at(now))) { error in
      XCTAssertEqual((error as? SigningError)?.code, .invalidCredential)
      XCTAssertTrue("\(error)".contains("requires a token"), "\(error)")
    }
  }

  // matrix: Aspera transfer (issuer): header
  func testIssuerOverridesOnlyServerFields() throws {
    let answer =
      #"{"direction":"send","remote_host":"aspera.example.com","remote_user":"mia","ssh_port":33001,"fasp_port":33002,"#
      + #""cipher":"aes-256","rate_policy":"low","target_rate_kbps":10,"min_rate_kbps":null,"tags":{"aspera":{"b":2}},"#
      + #""paths":[{"destination":"/elsewhere"}],"destination_root":"/granted","source_root":"/etc","token":"ignored","#
      + #""remote_password":"evil","ssh_private_key_path":"/evil","ssh_private_key":"evil","proxy":"dnat://evil","#
      + #""wss_enabled":true,"wss_port":443,"keepalive":true,"use_system_ssh":true,"cookie":"evil","http_fallback":true}"#
    var before = upload
    before.tags = members(["aspera": ["a": 1, "b": 1], "own": true])
    before.minimumRate = 3
    let signed = try TransferSigner(account: account()).signed(before, with: grant("granted", answer), in: .at(now))
    XCTAssertEqual(
      json(signed),
      #"{"direction":"send","paths":[{"source":"/src/a"}],"destination_root":"/granted","#
        + #""tags":{"aspera":{"a":1,"b":2},"own":true},"min_rate_kbps":3,"remote_host":"aspera.example.com","#
        + #""remote_user":"mia","ssh_port":33001,"fasp_port":33002,"rate_policy":"low","target_rate_kbps":10,"#
        + #""cipher":"aes-256","remote_password":"pw","token":"granted"}"#)
  }

  func testSigningIsIdempotent() throws {
    let signer = try TransferSigner(account: account(hostKey: fingerprint))
    let granted = try grant("t", #"{"remote_user":"mia","tags":{"a":1},"ssh_port":7,"sshfp":null}"#)
    let once = try signer.signed(upload, with: granted, in: .at(now))
    XCTAssertEqual(json(try signer.signed(once, with: granted, in: .at(now))), json(once))
  }

  func testDownloadSourcesAreTheTokensAndDestinationsTheCallers() throws {
    let paths = [TransferPath("a", to: "/here/a"), TransferPath("b", to: "/here/b")]
    var download = TransferSpec(.receive, paths, destinationRoot: "/mine")
    download.sourceRoot = "/test"
    let answer =
      #"{"direction":"receive","paths":[{"source":"A","destination":"/evil"},{"source":"B"}],"source_root":"/test/","#
      + #""destination_root":"/evil"}"#
    let signer = try TransferSigner(account: account())
    let signed = try signer.signed(download, with: grant("t", answer), in: .at(now))
    XCTAssertEqual(signed.paths, [TransferPath("A", to: "/here/a"), TransferPath("B", to: "/here/b")])
    XCTAssertEqual(signed.sourceRoot, "/test/")
    XCTAssertEqual(signed.destinationRoot, "/mine")
    for other in [
      #"{"direction":"send"}"#, #"{"paths":[{"source":"A"}]}"#, #"{"paths":[{"source":"A"},{"destination":"B"}]}"#,
    ] {
      XCTAssertThrowsError(try signer.signed(download, with: grant("t", other), in: .at(now)), other) {
        XCTAssertEqual(($0 as? SigningError)?.code, .invalidCredential)
      }
    }
  }

  func testRequestedEncryptionCannotBeDisabled() throws {
    var before = upload
    before.cipher = .aes256GCM
    let signer = try TransferSigner(account: account())
    XCTAssertEqual(try signer.signed(before, with: grant("t", #"{"cipher":"none"}"#), in: .at(now)).cipher, .aes256GCM)
    XCTAssertEqual(try signer.signed(before, with: grant("t", #"{"cipher":"aes-192"}"#), in: .at(now)).cipher, .aes192)
    XCTAssertEqual(
      try signer.signed(upload, with: grant("t", #"{"cipher":"none"}"#), in: .at(now)).cipher, TransferCipher.none)
  }

  func testHostKeysMustAgreeAndAreNeverRemoved() throws {
    let other = String(repeating: "a", count: 40)
    let spelled = #"{"sshfp":"\#(fingerprint.uppercased())"}"#
    for (own, written, granted) in [
      (fingerprint, nil, nil), (nil, fingerprint, nil), (nil, nil, spelled), (fingerprint, fingerprint, spelled),
      (fingerprint, nil, #"{"sshfp":null}"#), (nil, fingerprint, #"{"sshfp":""}"#),
    ] as [(String?, String?, String?)] {
      var before = upload
      before.sshfp = written
      let signed = try TransferSigner(account: account(hostKey: own)).signed(
        before, with: grant("t", granted), in: .at(now))
      XCTAssertEqual(signed.sshfp, fingerprint)
    }
    for (own, written, granted) in [
      (other, nil, spelled), (other, fingerprint, nil), (nil, other, spelled), (nil, nil, #"{"sshfp":"SHA256:x"}"#),
    ] as [(String?, String?, String?)] {
      var before = upload
      before.sshfp = written
      let signer = try TransferSigner(account: account(hostKey: own))
      XCTAssertThrowsError(try signer.sign(&before, with: grant("t", granted), in: .at(now)))
    }
  }

  func testPasswordIsSentToNoOtherUserAndToOtherHostsOnlyWithAPinnedKey() throws {
    let elsewhere = #"{"remote_host":"10.0.0.7"}"#
    let signer = try TransferSigner(account: account())
    for answer in [elsewhere, #"{"remote_user":"xfer"}"#, #"{"remote_host":"10.0.0.7","sshfp":"\#(fingerprint)"}"#] {
      XCTAssertThrowsError(try signer.signed(upload, with: grant("t", answer), in: .at(now)), answer) {
        XCTAssertEqual(($0 as? SigningError)?.code, .invalidCredential)
      }
    }
    let pinned = try TransferSigner(account: account(hostKey: fingerprint))
    XCTAssertEqual(try pinned.signed(upload, with: grant("t", elsewhere), in: .at(now)).remoteHost, "10.0.0.7")
    let withKey = try TransferSigner(account: account(key: .file("/id")))
    let signed = try withKey.signed(
      upload, with: grant("t", #"{"remote_host":"10.0.0.7","remote_user":"xfer"}"#), in: .at(now))
    XCTAssertEqual(signed.remoteHost, "10.0.0.7")
    XCTAssertEqual(signed.remoteUser, "xfer")
  }

  func testWebSocketIsUsedOnlyWithoutAnAccount() throws {
    let answer = #"{"remote_host":"h","remote_user":"xfer","wss_enabled":true,"wss_port":443}"#
    let signed = try TransferSigner(account: nil).signed(upload, with: grant("t", answer), in: .at(now))
    XCTAssertEqual(signed.offersWebSocket, true)
    XCTAssertEqual(signed.webSocketPort, 443)
    var asked = upload
    asked.offersWebSocket = true
    asked.webSocketPort = 443
    XCTAssertThrowsError(try TransferSigner(account: account()).signed(asked, with: grant("t"), in: .at(now)))
    XCTAssertThrowsError(try TransferSigner(account: nil).signed(upload, with: grant("t"), in: .at(now)))
  }

  // matrix: Aspera transfer (token): expiry
  func testExpiredGrantIsRejectedAndTwoMinutesAreRequested() throws {
    let signer = try TransferSigner(account: account())
    XCTAssertThrowsError(try signer.signed(upload, with: grant("t", end: now), in: .at(now))) {
      XCTAssertEqual(($0 as? SigningError)?.code, .credentialEndsFirst)
    }
    XCTAssertNoThrow(
      try signer.signed(upload, with: grant("t", end: now.advanced(by: .seconds(1))), in: .at(now)))
    XCTAssertEqual(signer.requiredValidity(from: now), now.advanced(by: .seconds(120)))
  }
}
