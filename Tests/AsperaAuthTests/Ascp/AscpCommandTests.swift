// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the arguments, environment and file list of ascp.
final class AscpCommandTests: XCTestCase {
  private func specification(_ change: (inout TransferSpec) -> Void = { _ in }) -> TransferSpec {
    var specification = TransferSpec(.receive, [TransferPath("/a b", to: "c"), TransferPath("/d", to: "é")])
    specification.remoteHost = "aspera.example.com"
    specification.remoteUser = "mia"
    specification.remotePassword = Secret("correct horse")
    change(&specification)
    return specification
  }

  func testFileListAlternatesSourcesAndDestinations() throws {
    let command = try AscpCommand(specification(), managementPort: 4711)
    XCTAssertEqual(
      command.arguments(fileListPath: "/tmp/l"),
      [
        "-M", "4711", "-q", "--mode", "recv", "--host", "aspera.example.com", "--user", "mia", "--dest64",
        "--file-pair-list=/tmp/l", "Lw==",
      ])
    XCTAssertEqual(command.fileList?.bytes, Array("/a b\nc\n/d\né".utf8))
  }

  func testOptionsOutsideTheVectorsFollowTheSpecification() throws {
    let spec = specification {
      $0.createsFolder = true
      $0.tags = members(["z": 1, "aspera": ["a": "é"]])
      $0.httpFallback = .force
      $0.isPersistent = true
      $0.contentProtection = .encrypt
      $0.contentProtectionPassword = Secret("file secret")
      $0.proxy = Secret("dnats://pia:proxy secret@proxy.example.com:9092")
      $0.fields["http_fallback_port"] = 8080
    }
    var options = AscpOptions()
    options.fallback = .init(certificatePath: "/c.pem", keyPath: "/k.pem")
    let command = try AscpCommand(spec, options: options)
    XCTAssertEqual(
      command.arguments(fileListPath: "L"),
      [
        "-I", "/c.pem", "-Y", "/k.pem", "-q", "--file-crypt", "encrypt", "-d", "--mode", "recv", "-y", "F", "-t",
        "8080",
        "--host", "aspera.example.com", "--user", "mia", "--proxy", "dnats://pia@proxy.example.com:9092",
        "--tags64", "eyJ6IjoxLCJhc3BlcmEiOnsiYSI6IsOpIn19", "--keepalive", "--dest64", "--file-pair-list=L", "Lw==",
      ])
    XCTAssertEqual(command.environment["ASPERA_PROXY_PASS"]?.reveal(), "proxy secret")
    XCTAssertEqual(command.environment["ASPERA_SCP_FILEPASS"]?.reveal(), "file secret")
  }

  func testSeparatorsAreFoundBeforeCombiningMarks() throws {
    let command = try AscpCommand(
      specification { $0.proxy = Secret("dnat://pia:hidden@\u{301}.example.com") }, options: AscpOptions())
    XCTAssertFalse(command.arguments(fileListPath: "L").contains { $0.contains("hidden") })
    var options = AscpOptions()
    options.usesFileList = false
    XCTAssertThrowsError(
      try AscpCommand(specification { $0.paths = [TransferPath("-\u{301}")] }, options: options))
    XCTAssertThrowsError(try AsperaAccount(host: "-\u{301}h", user: "mia", password: Secret("p")))
    let link = try FaspURI("faspe://mia:hidden@\u{301}host/a")
    XCTAssertTrue(link.droppedPassword)
    XCTAssertEqual(link.specification.remoteUser, "mia")
    XCTAssertThrowsError(try AscpArguments(["-W\u{301}x"]))
  }

  func testSessionsOfOneTransferAreNumberedAndHaveSeparatePorts() throws {
    let spec = specification {
      $0.sessionCount = 2
      $0.udpPort = 40000
    }
    var options = AscpOptions()
    XCTAssertThrowsError(try AscpCommand(spec, options: options))
    options.part = .init(index: 2, of: 2, separatesPorts: true)
    let arguments = try AscpCommand(spec, options: options, managementPort: 1).arguments()
    XCTAssertEqual(Array(arguments.prefix(6)), ["-M", "1", "-O", "40001", "-C2:2", "-q"])
    XCTAssertEqual(arguments.filter { $0 == "-O" }.count, 1)
    options.part = .init(index: 2, of: 2)
    XCTAssertTrue(try AscpCommand(spec, options: options).arguments().contains("40000"))
    options.part = .init(index: 3, of: 2)
    XCTAssertThrowsError(try AscpCommand(spec, options: options))
  }

  func testTestLoginHasNoPathsAndNoToken() throws {
    var spec = TransferSpec(fields: JSONObject())
    spec.remoteHost = "aspera.example.com"
    spec.remoteUser = "mia"
    spec.sshPort = 33001
    spec.sshPrivateKeyPath = "~/keys/id"
    spec.sshPrivateKeyPassphrase = Secret("phrase")
    spec.token = Secret("ATM2_token_2MTA")
    spec.sshfp = "6D:3B:30:E1:68:26:31:88:56:06:91:4F:ED:0F:4A:B9:5C:A9:A7:55"
    let command = try AscpCommand.testLogin(spec, options: .init(homeDirectory: "/home/mia"))
    XCTAssertEqual(
      command.arguments(),
      [
        "--mode=test-login", "--host", "aspera.example.com", "--user", "mia", "-P", "33001", "-i", "/home/mia/keys/id",
        "--check-sshfp", "6d3b30e1682631885606914fed0f4ab95ca9a755",
      ])
    XCTAssertEqual(command.environment.keys.sorted(), ["ASPERA_SCP_PASS", "ASPERA_TEST_REDIS_DISABLE"])
    XCTAssertThrowsError(try AscpCommand.testLogin(spec))
  }

  func testInvalidSpecificationsAreRejected() throws {
    let changes: [(String, AsperaError.Code, (inout TransferSpec) -> Void)] = [
      ("no credential", .missingCredential, { $0.remotePassword = nil }),
      ("a blank password", .missingCredential, { $0.remotePassword = Secret(" ") }),
      (
        "a token without its key", .missingCredential,
        { spec in
          spec.remotePassword = nil
          spec.token = Secret("ATM2_token_2MTA")
        }
      ),
      ("no paths", .invalidSpecification, { $0.paths = [] }),
      ("no host", .invalidSpecification, { $0.remoteHost = nil }),
      ("no user", .invalidSpecification, { $0.remoteUser = nil }),
      ("ascp4", .unsupported, { $0.fields["use_ascp4"] = true }),
      ("another proxy", .invalidSpecification, { $0.proxy = Secret("http://a:b@c") }),
      (
        "a secret in tags", .unsupported,
        { $0.tags = members(["aspera": ["node": ["storage_credentials": ["t": "x"]]]]) }
      ),
    ]
    for (name, code, change) in changes {
      XCTAssertThrowsError(try AscpCommand(specification(change)), name) {
        XCTAssertEqual(($0 as? AsperaError)?.code, code, name)
      }
    }
    var options = AscpOptions()
    options.usesFileList = false
    XCTAssertThrowsError(try AscpCommand(specification(), options: options))
    XCTAssertThrowsError(try AscpCommand(specification { $0.paths = [TransferPath("-W")] }, options: options))
  }

  // matrix: Aspera transfer (password): redaction
  // matrix: Aspera transfer (token): redaction
  func testCommandDescriptionContainsNoSecret() throws {
    let spec = specification {
      $0.token = Secret("ATM2_hidden-token_2MTA")
      $0.cookie = "hidden-cookie"
      $0.proxy = Secret("dnat://pia:hidden-proxy@proxy.example.com")
    }
    let command = try AscpCommand(spec)
    let secrets = ["correct horse", "hidden-token", "hidden-cookie", "hidden-proxy"]
    XCTAssertEqual(DisplayedTexts(of: command).containing(secrets), [])
    XCTAssertEqual(Set(command.environment.values.map { $0.reveal() }).count, 5)
  }

  func testFileListFolderIsRemovedWithTheInvocation() throws {
    let parent = FileManager.default.temporaryDirectory.appending(path: "ascp-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: parent) }
    let command = try AscpCommand(specification())
    do {
      let invocation = try AscpInvocation(command, in: parent)
      let option = try XCTUnwrap(invocation.arguments.first { $0.hasPrefix("--file-pair-list=") })
      let path = String(option.dropFirst("--file-pair-list=".count))
      XCTAssertEqual(FileManager.default.contents(atPath: path), Data(try XCTUnwrap(command.fileList).bytes))
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
      XCTAssertEqual(invocation.environment, command.environment)
      withExtendedLifetime(invocation) {}
    }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: parent), [])
  }
}
