// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import CredentialSources
import OSSAuth
import S3Auth
import StorageAuth
import XCTest

/// Tests credentials in environment variables.
final class EnvironmentCredentialProviderTests: XCTestCase {
  // matrix: Environment: answers
  func testKeysAreReadFromTheVendorsVariables() async {
    let oss = EnvironmentCredentialProvider.oss.bound(
      to: .environment([
        "OSS_ACCESS_KEY_ID": " id\n", "OSS_ACCESS_KEY_SECRET": "s", "OSS_SESSION_TOKEN": "t",
      ]))
    await assertKey(oss, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    let permanent = EnvironmentCredentialProvider.oss.bound(
      to: .environment([
        "OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "s", "OSS_SESSION_TOKEN": "",
      ]))
    await assertKey(permanent, AccessKey(id: "id", secret: "s"))
    let alibaba = EnvironmentCredentialProvider.alibabaCloud.bound(
      to: .environment([
        "ALIBABA_CLOUD_ACCESS_KEY_ID": "id", "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "s",
        "ALIBABA_CLOUD_SECURITY_TOKEN": "t",
      ]))
    await assertKey(alibaba, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    for name in ["TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SESSION_TOKEN"] {
      let cos = EnvironmentCredentialProvider.cos.bound(
        to: .environment([
          "TENCENTCLOUD_SECRET_ID": "id", "TENCENTCLOUD_SECRET_KEY": "s", name: "t",
        ]))
      await assertKey(cos, AccessKey(id: "id", secret: "s", sessionToken: "t"))
    }
  }

  func testMissingVariablesAreNotConfiguredAndNamed() async {
    for environment in [[:], ["OSS_ACCESS_KEY_ID": "", "OSS_ACCESS_KEY_SECRET": " "]] {
      await assertRefuses(
        EnvironmentCredentialProvider.oss.bound(to: .environment(environment)), .notConfigured,
        says: ["OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET"])
    }
  }

  // matrix: Environment: bad input
  func testIncompleteKeyIsAnError() async {
    let cases: [(set: [String: String], missing: String, present: String)] = [
      (["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "  "], "not OSS_ACCESS_KEY_SECRET", "OSS_ACCESS_KEY_ID"),
      (["OSS_ACCESS_KEY_SECRET": Marks.secret], "not OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET"),
      (["OSS_SESSION_TOKEN": Marks.token], "not OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET", "OSS_SESSION_TOKEN"),
    ]
    for (environment, missing, present) in cases {
      await assertRefuses(
        EnvironmentCredentialProvider.oss.bound(to: .environment(environment)), .failed,
        says: [missing, "sets \(present)"], missing)
    }
  }

  func testKeyIDOfACompatibleServerIsAccepted() async {
    for id in ["user@example.test/sub=1", "a:b", "a%2Fb;c&d"] {
      let source = EnvironmentCredentialProvider.aws.bound(
        to: .environment([
          "AWS_ACCESS_KEY_ID": " \(id) ", "AWS_SECRET_ACCESS_KEY": "\u{301}s",
        ]))
      await assertKey(source, AccessKey(id: id, secret: "\u{301}s"))
    }
    let marked = EnvironmentCredentialProvider.aws.bound(
      to: .environment([
        "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": " \u{301}s\u{301} ",
      ]))
    await assertKey(marked, AccessKey(id: "id", secret: "\u{301}s\u{301}"))
  }

  // matrix: Environment: bad input
  func testKeyWithInvalidCharactersIsRejected() async {
    for (id, secret) in [("i d", Marks.secret), ("id", "\(Marks.secret)\n\(Marks.secret)")] {
      await assertRefuses(
        EnvironmentCredentialProvider.oss.bound(
          to: .environment(["OSS_ACCESS_KEY_ID": id, "OSS_ACCESS_KEY_SECRET": secret])), .failed,
        says: ["cannot be used"])
    }
  }

  func testVariablesAreReadForEachRequest() async {
    let machine = MemoryMachine(environment: ["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": "one"])
    let provider = EnvironmentCredentialProvider.oss.bound(to: machine.access)
    await assertKey(provider, AccessKey(id: "id", secret: "one"))
    machine.set("OSS_ACCESS_KEY_SECRET", to: "two")
    await assertKey(provider, AccessKey(id: "id", secret: "two"))
  }

  // matrix: Environment: answers
  func testEachPartOfAKeyCanBeInAFile() async {
    let providers: [(EnvironmentCredentialProvider, [String])] = [
      (.oss, ["OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET", "OSS_SESSION_TOKEN"]),
      (
        .alibabaCloud,
        ["ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "ALIBABA_CLOUD_SECURITY_TOKEN"]
      ),
      (.cos, ["TENCENTCLOUD_SECRET_ID", "TENCENTCLOUD_SECRET_KEY", "TENCENTCLOUD_SESSION_TOKEN"]),
      (.aws, ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]),
    ]
    for (provider, names) in providers {
      for inFile in 0..<8 {
        let machine = MemoryMachine()
        for (index, name) in names.enumerated() {
          if inFile & 1 << index != 0 {
            machine.set("\(name)_FILE", to: "/run/secrets/\(index)\n")
            machine.put("/run/secrets/\(index)", "value-\(index)\n")
          } else {
            machine.set(name, to: "value-\(index)")
          }
        }
        await assertKey(
          provider.bound(to: machine.access), AccessKey(id: "value-0", secret: "value-1", sessionToken: "value-2"))
        XCTAssertEqual(machine.warnings, [])
      }
    }
  }

  func testFilesAreReadForEachRequest() async {
    let machine = MemoryMachine(
      environment: ["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET_FILE": "/s"], files: ["/s": "one"])
    let provider = EnvironmentCredentialProvider.oss.bound(to: machine.access)
    await assertKey(provider, AccessKey(id: "id", secret: "one"))
    machine.put("/s", "two")
    await assertKey(provider, AccessKey(id: "id", secret: "two"))
  }

  // matrix: Environment: bad input, credential redaction
  func testUnusableFilesAreErrorsThatNameTheVariable() async {
    let both = MemoryMachine(
      environment: [
        "OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET": Marks.secret, "OSS_ACCESS_KEY_SECRET_FILE": "/s",
      ], files: ["/s": Marks.secret])
    await assertRefuses(
      EnvironmentCredentialProvider.oss.bound(to: both.access), .failed,
      says: ["both OSS_ACCESS_KEY_SECRET and OSS_ACCESS_KEY_SECRET_FILE"])
    let cases: [(FileReadError?, [UInt8], String)] = [
      (.notFound, [], "is not there"), (.tooLarge, [], "is larger than"),
      (.unreadable("permission denied"), [], "permission denied"), (nil, [], "holds no text"),
      (nil, [0xFF, 0xFE], "holds no text"), (nil, Array("\(Marks.secret)\n\(Marks.secret)".utf8), "cannot be used"),
    ]
    for (problem, bytes, words) in cases {
      let machine = MemoryMachine(environment: ["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET_FILE": "/s"])
      machine.put("/s", bytes: bytes, problem: problem)
      await assertRefuses(EnvironmentCredentialProvider.oss.bound(to: machine.access), .failed, says: [words], words)
    }
  }

  func testFileThatOthersCanReadOrWriteIsAWarning() async {
    let machine = MemoryMachine(environment: ["OSS_ACCESS_KEY_ID": "id", "OSS_ACCESS_KEY_SECRET_FILE": "/s"])
    machine.put("/s", bytes: Array("secret".utf8), permissions: 0o664)
    await assertKey(
      EnvironmentCredentialProvider.oss.bound(to: machine.access), AccessKey(id: "id", secret: "secret"))
    XCTAssertEqual(machine.warnings.count, 2, "\(machine.warnings)")
    XCTAssertTrue(machine.warnings.allSatisfy { $0.message.contains("OSS_ACCESS_KEY_SECRET_FILE") })
  }

  func testGroupOfAFileThatRootGrantsMayReadIt() {
    for (permissions, isGranted, isReadable) in [
      (0o440, true, false), (0o444, true, true), (0o440, false, true), (0o400, false, false),
    ] as [(UInt16, Bool, Bool)] {
      var contents = FileContents([], permissions: permissions)
      contents.isGrantedByRoot = isGranted
      XCTAssertEqual(contents.isReadableByOthers, isReadable, "\(permissions) \(isGranted)")
      contents.place = .readOnlyVolume
      XCTAssertFalse(contents.isReadableByOthers, "a file there cannot be restricted")
    }
  }
}

extension ProviderContext {
  /// A context with these environment variables.
  fileprivate static func environment(_ values: [String: String]) -> ProviderContext {
    ProviderContext(environment: { values[$0] }, home: nil, files: SystemFiles())
  }
}
