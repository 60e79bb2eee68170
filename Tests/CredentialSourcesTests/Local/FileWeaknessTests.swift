// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import COSAuth
@testable import CredentialSources
@testable import OSSAuth
@testable import StorageAuth

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Tests the permission checks on real files, in folders that others may or may not write.
final class FileWeaknessTests: XCTestCase {
  private var folder = ""

  override func setUpWithError() throws {
    folder =
      FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "weakness-\(UUID().uuidString)").path
    try makeFolder("")
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(atPath: folder)
  }

  private func path(_ name: String) -> String { name.isEmpty ? folder : "\(folder)/\(name)" }

  private func makeFolder(_ name: String, _ permissions: Int = 0o755) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    try setPermissions(name, permissions)
  }

  private func setPermissions(_ name: String, _ permissions: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path(name))
  }

  private func write(_ name: String, _ permissions: Int = 0o600, _ text: String = "x") throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    try setPermissions(name, permissions)
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  private func weakness(_ name: String) throws -> FileWeakness? {
    try SystemFiles().read(path(name), limit: 1 << 16).weakness
  }

  private func inspected(_ name: String, _ opened: FileStatus) -> FileWeakness? {
    FilePathWalk.findings(of: path(name), opened: opened, on: MachineFacts()).weakness
  }

  private func give(_ name: String, to user: UInt32) throws {
    try XCTSkipIf(geteuid() != 0, "only root can change the owner of a file")
    XCTAssertEqual(lchown(path(name), user, 0), 0)
  }

  func testPrivateFileIsSecure() throws {
    try makeFolder("a")
    try link("b", to: "a/../a/.")
    for permissions in [0o600, 0o400, 0o644, 0o755] {
      try write("a/f", permissions)
      for name in ["a/f", "b/f", "a/../b/f", ".//a/./f"] { XCTAssertNil(try weakness(name), name) }
    }
  }

  func testFileWritableByOthersIsInsecure() throws {
    for (permissions, words) in [(0o620, "the group"), (0o660, "the group"), (0o602, "any user"), (0o666, "any user")] {
      try write("f", permissions)
      let found = try XCTUnwrap(weakness("f"))
      XCTAssertEqual(found.reason, "\(words) may write the file \(path("f"))")
      XCTAssertTrue(found.remedy.contains("chmod go-w \(path("f"))"), found.remedy)
    }
  }

  func testAnyParentFolderWritableByOthersIsInsecure() throws {
    try makeFolder("a/b")
    try write("a/b/f")
    for (name, permissions, isWeak) in [
      ("a/b", 0o775, true), ("a/b", 0o757, true), ("a/b", 0o1777, false), ("a/b", 0o755, false), ("a", 0o770, true),
      ("a", 0o777, true), ("a", 0o1777, false),
    ] {
      try setPermissions(name, permissions)
      let found = try weakness("a/b/f")
      XCTAssertEqual(
        found?.reason.hasSuffix("may write the folder \(path(name))"), isWeak ? true : nil, "\(permissions)")
      try setPermissions(name, 0o755)
    }
  }

  func testBothPathsOfASymbolicLinkAreChecked() throws {
    try makeFolder("open", 0o777)
    try makeFolder("closed")
    try write("closed/f")
    try link("open/link", to: path("closed/f"))
    try write("open/f")
    try link("closed/link", to: "../open/f")
    try link("closed/again", to: "link")
    for name in ["open/link", "closed/link", "closed/again"] {
      XCTAssertEqual(try weakness(name)?.reason, "any user may write the folder \(path("open"))", name)
    }
  }

  func testFileOrFolderOfAnotherUserIsInsecure() throws {
    try makeFolder("theirs")
    try write("theirs/f")
    try give("theirs", to: 12_345)
    XCTAssertEqual(
      try weakness("theirs/f")?.reason.contains("the folder \(path("theirs")) belongs to the user 12345"), true)
    try write("f", 0o644)
    try give("f", to: 12_345)
    XCTAssertEqual(try weakness("f")?.reason.contains("the file \(path("f")) belongs to the user 12345"), true)
    try makeFolder("shared", 0o1777)
    try write("mine")
    try link("shared/link", to: path("mine"))
    XCTAssertNil(try weakness("shared/link"))
    try give("shared/link", to: 12_345)
    XCTAssertEqual(try weakness("shared/link")?.reason.contains("link \(path("shared/link")) belongs"), true)
  }

  func testFileReplacedWhileReadingIsInsecure() throws {
    try write("f")
    try write("g")
    let opened = try OpenedFile(path("f"))
    XCTAssertNil(inspected("f", opened.status))
    for name in ["g", "gone", "", "f/below"] {
      let found = inspected(name, opened.status)
      XCTAssertEqual(found?.reason.contains("was replaced while it was read"), true, name)
    }
    try FileManager.default.removeItem(atPath: path("f"))
    try write("f", 0o600, "y")
    XCTAssertNotNil(inspected("f", opened.status))
    XCTAssertEqual(try opened.readBytes(limit: 9), [UInt8(ascii: "x")])
  }

  func testCombiningMarkAfterASlashDoesNotHideAFolder() throws {
    try makeFolder("a/\u{301}b", 0o777)
    try write("a/\u{301}b/f")
    XCTAssertEqual(try weakness("a/\u{301}b/f")?.reason.contains("may write the folder"), true)
  }

  func testPipeIsRejectedWithoutWaiting() throws {
    XCTAssertEqual(mkfifo(path("pipe"), 0o600), 0)
    XCTAssertThrowsError(try SystemFiles().read(path("pipe"), limit: 9)) {
      XCTAssertEqual($0 as? FileReadError, .unreadable("it is not a regular file"))
    }
  }

  func testCommandInAFileThatOthersCouldHaveWrittenIsNotRun() async throws {
    let text = #"{"current":"p","profiles":[{"name":"p","mode":"External","process_command":"get-key"}]}"#
    for (file, above, words) in [
      (0o620, 0o755, "the group may write the file"), (0o602, 0o755, "any user may write the file"),
      (0o600, 0o775, "the group may write the folder"), (0o600, 0o777, "any user may write the folder"),
    ] {
      try makeFolder("home", above)
      try write("home/config.json", file, text)
      let machine = MemoryMachine()
      machine.answer(#"{"mode":"AK","access_key_id":"id","access_key_secret":"s"}"#)
      var access = machine.access
      access.files = SystemFiles()
      let provider = ProfileCredentialProvider.alibabaCLIProfile(path: path("home/config.json")).bound(to: access)
      await assertRefuses(provider, .failed, says: ["“p”", words])
      XCTAssertEqual(machine.commandLines, [])
      try setPermissions("home", 0o755)
      try setPermissions("home/config.json", 0o600)
      await assertKey(provider, AccessKey(id: "id", secret: "s"))
    }
  }

  func testKeyThatOthersCouldHaveWrittenIsUsedWithAWarning() async throws {
    try makeFolder("home", 0o777)
    try write("home/.cos.conf", 0o600, "[common]\nsecret_id=1\nsecret_key=s")
    let machine = MemoryMachine()
    var access = machine.access
    access.files = SystemFiles()
    access.home = path("home")
    await assertKey(ProfileCredentialProvider.coscmdProfile().bound(to: access), AccessKey(id: "1", secret: "s"))
    XCTAssertEqual(machine.warnings.count, 1)
    XCTAssertTrue("\(machine.warnings)".contains("others could have written them: any user may write the folder"))
  }
}
