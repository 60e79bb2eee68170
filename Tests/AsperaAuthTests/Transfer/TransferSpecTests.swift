// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the fields, validation and redaction of transfer specifications.
final class TransferSpecTests: XCTestCase {
  private func specification(_ json: String) throws -> TransferSpec { try TransferSpec(json: Array(json.utf8)) }

  func testUnknownFieldsArePreserved() throws {
    let json = #"{"made_up":[1.50,{"b":null}],"direction":"send","paths":[{"source":"a","checksum":"x"}],"sshfp":null}"#
    let specification = try specification(json)
    XCTAssertEqual(String(decoding: specification.json, as: UTF8.self), json)
    XCTAssertNoThrow(try specification.validate())
  }

  func testAccessorsReadAndWriteTheFieldsOfTheirNames() throws {
    var spec = TransferSpec(.send, [])
    spec.cookie = "c"
    spec.cipher = .aes256GCM
    spec.tags = members(["a": 1])
    spec.sshfp = "f"
    spec.offersWebSocket = true
    spec.webSocketPort = 443
    spec.httpFallback = .on
    spec.targetRate = 5
    spec.minimumRate = 4
    spec.ratePolicy = .fair
    spec.resumePolicy = .sparseChecksum
    spec.createsFolder = true
    spec.sessionCount = 3
    spec.remotePassword = Secret("p")
    spec.sshPrivateKey = Secret("k")
    spec.sshPrivateKeyPath = "kp"
    spec.sshPrivateKeyPassphrase = Secret("kpp")
    spec.sourceRoot = "sr"
    spec.sourceBase = "sb"
    spec.contentProtection = .decrypt
    spec.contentProtectionPassword = Secret("cp")
    spec.proxy = Secret("dnat://h")
    spec.isPersistent = false
    spec.token = Secret("t")
    XCTAssertEqual(
      String(decoding: spec.json, as: UTF8.self),
      """
      {"direction":"send","paths":[],"cookie":"c","cipher":"aes-256-gcm","tags":{"a":1},"sshfp":"f",\
      "wss_enabled":true,"wss_port":443,"http_fallback":true,"target_rate_kbps":5,"min_rate_kbps":4,\
      "rate_policy":"fair","resume_policy":"sparse_csum","create_dir":true,"multi_session":3,"remote_password":"p",\
      "ssh_private_key":"k","ssh_private_key_path":"kp","ssh_private_key_passphrase":"kpp","source_root":"sr",\
      "src_base":"sb","content_protection":"decrypt","content_protection_password":"cp","proxy":"dnat://h",\
      "keepalive":false,"token":"t"}
      """)
    XCTAssertEqual(spec.cipher, .aes256GCM)
    XCTAssertEqual(spec.resumePolicy, .sparseChecksum)
    spec.httpFallback = .force
    XCTAssertEqual(spec.httpFallback, .force)
    spec.httpFallback = nil
    XCTAssertNil(spec.fields["http_fallback"])
  }

  // matrix: Aspera transfer (password): bad input
  // matrix: Aspera transfer (key): bad input
  // matrix: Aspera transfer (token): bad input
  func testCiphersAndFallbackAsTheSDKsWriteThemAreRead() throws {
    for (text, cipher) in [("aes128", TransferCipher.aes128), ("aes256gcm", .aes256GCM), ("aes-192-cfb", .aes192CFB)] {
      let spec = try specification(#"{"direction":"send","paths":[],"cipher":"\#(text)"}"#)
      XCTAssertEqual(spec.cipher, cipher)
    }
    for (text, fallback) in [("1", HTTPFallback.on), ("0", .off), ("force", .force)] {
      let spec = try specification(#"{"direction":"send","paths":[],"http_fallback":"\#(text)"}"#)
      XCTAssertEqual(spec.httpFallback, fallback)
    }
    XCTAssertNil(try specification(#"{"direction":"send","paths":[],"cipher":"aes"}"#).cipher)
  }

  func testInvalidFieldsAreRejectedByNameWithoutTheirValue() throws {
    let broken: [(String, AsperaError.Code)] = [
      (#""cipher":"hidden""#, .invalidSpecification), (#""token":"hidden\nx""#, .invalidToken),
      (#""token":"""#, .invalidToken), (#""token":7"#, .invalidToken), (#""cookie":"hidden\r""#, .invalidSpecification),
      (#""cookie":"hidden\u0000""#, .invalidSpecification), (#""ssh_port":0"#, .invalidSpecification),
      (#""ssh_port":65536"#, .invalidSpecification), (#""ssh_port":"22""#, .invalidSpecification),
      (#""fasp_port":1.5"#, .invalidSpecification), (#""wss_port":-1"#, .invalidSpecification),
      (#""remote_host":"-hidden""#, .invalidSpecification), (#""remote_user":"hid den""#, .invalidSpecification),
      (#""remote_host":"""#, .invalidSpecification), (#""create_dir":"yes""#, .invalidSpecification),
      (#""http_fallback":"hidden""#, .invalidSpecification), (#""target_rate_kbps":-1"#, .invalidSpecification),
      (#""multi_session":129"#, .invalidSpecification), (#""tags":"hidden""#, .invalidSpecification),
      (#""tags64":"hid*den""#, .invalidSpecification), (#""tags":{},"tags64":"e30=""#, .invalidSpecification),
      (#""sshfp":"hidden""#, .invalidHostKey), (#""resume_policy":"hidden""#, .invalidSpecification),
      (#""rate_policy":"hidden""#, .invalidSpecification), (#""content_protection":"encrypt""#, .invalidSpecification),
      (#""wss_enabled":true,"wss_port":443"#, .invalidSpecification),
      (#""wss_enabled":true,"token":"t""#, .invalidSpecification),
      (#""remote_password":"hidden","ssh_private_key":"hidden""#, .ambiguousCredential),
      (#""remote_password":"hidden","ssh_private_key_path":"hidden""#, .ambiguousCredential),
      (#""remote_password":"hidden","ssh_private_key_passphrase":"hidden""#, .ambiguousCredential),
      (#""ssh_private_key":"hidden","ssh_private_key_path":"hidden""#, .ambiguousCredential),
      (#""ssh_private_key_passphrase":"hidden""#, .invalidSpecification),
      (#""ssh_private_key":"-----BEGIN hidden\\n-----END""#, .malformedKey),
      (#""paths":{}"#, .invalidSpecification), (#""paths":[{"destination":"hidden"}]"#, .invalidSpecification),
      (#""paths":["hidden"]"#, .invalidSpecification), (#""paths":[{"source":""}]"#, .invalidSpecification),
      (#""paths":[{"source":"hidden\nx"}]"#, .invalidSpecification),
      (#""paths":[{"source":"a","destination":"hidden\r"}]"#, .invalidSpecification),
      (#""paths":[{"source":"hidden","destination":"b"},{"source":"c"}]"#, .invalidSpecification),
      (#""direction":"hidden""#, .invalidSpecification), (#""direction":null"#, .invalidSpecification),
      (#""destination_root":"hidden\u0000""#, .invalidSpecification),
    ]
    for (field, code) in broken {
      let direction = field.contains("direction") ? "" : #","direction":"send""#
      let specification = try specification("{\(field)\(direction)}")
      XCTAssertThrowsError(try specification.validate(), field) { error in
        XCTAssertEqual((error as? AsperaError)?.code, code, field)
        XCTAssertFalse("\(error)".contains("hidden"), "\(error)")
      }
    }
  }

  func testBlankCredentialsAreIgnored() throws {
    let specification = try specification(
      #"{"direction":"send","remote_password":" ","ssh_private_key":"k","ssh_private_key_path":null}"#)
    XCTAssertNoThrow(try specification.validate())
  }

  func testTextThatIsNotAnObjectIsRejected() {
    for json in ["", "[]", "{", "null"] {
      XCTAssertThrowsError(try specification(json)) {
        XCTAssertEqual(($0 as? AsperaError)?.code, .invalidSpecification)
      }
    }
  }

  // matrix: Aspera transfer (key): redaction
  // matrix: Aspera transfer (issuer): redaction
  func testDescriptionContainsNoSecretValue() throws {
    let json =
      #"{"remote_host":"h","remote_user":"u","direction":"send","paths":[{"source":"hidden/a"}],"token":"hidden-t","#
      + #""remote_password":"hidden-p","ssh_private_key":"hidden-k","made_up":{"x":"hidden-m"}}"#
    let specification = try specification(json)
    XCTAssertEqual(DisplayedTexts(of: specification).containing(["hidden"]), [])
    XCTAssertEqual(
      specification.description,
      "TransferSpec(u@h, send, 1 path, fields: token, remote_password, ssh_private_key, made_up)")
    XCTAssertEqual(TransferSpec(fields: JSONObject()).description, "TransferSpec(nowhere, no direction, 0 paths)")
  }

  func testCopyWithoutSecretsKeepsTheOtherFields() throws {
    let json =
      #"{"remote_password":"x","ssh_private_key":"x","ssh_private_key_path":"x","ssh_private_key_passphrase":"x","#
      + #""token":"x","content_protection_password":"x","proxy":"x","icos":{"api_key":"x","bucket":"b"},"#
      + #""session_initiation":{"node_api":{"headers":[{"key":"x"}]}},"tags":{"aspera":{"node":{"access_key":"a","#
      + #""storage_credentials":{"token":"x"}}}},"token_life_seconds":60,"public_keys":"p","list":[{"secret":"x"}]}"#
    XCTAssertEqual(
      String(decoding: try specification(json).withoutSecrets.json, as: UTF8.self),
      #"{"icos":{"bucket":"b"},"session_initiation":{"node_api":{}},"tags":{"aspera":{"node":{"access_key":"a"}}},"#
        + #""token_life_seconds":60,"public_keys":"p","list":[{}]}"#)
  }
}
