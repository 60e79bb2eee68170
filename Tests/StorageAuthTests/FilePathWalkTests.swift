// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import StorageAuth

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Tests which files only the system can change: those of read-only volumes and of the app's own bundle.
final class FilePathWalkTests: XCTestCase {
  private static let bundle = "/private/var/containers/Bundle/Application/0A1B/Photos.app"
  private static let installer: UInt32 = 33

  /// A phone whose app, as the user 501, has a key in its bundle, which belongs to the system's installer.
  private func phone() -> Files {
    var files = Files(user: 501)
    files.folder("/var", target: "/private/var")
    files.folders("/private/var/containers/Bundle/Application/0A1B", owner: Self.installer, permissions: 0o775)
    files.folders(Self.bundle, owner: Self.installer)
    files.file("\(Self.bundle)/key.pem", owner: Self.installer)
    files.bundlePath = Self.bundle
    return files
  }

  func testFileInTheBundleOfTheRunningAppIsFixed() {
    let files = phone()
    for path in [
      "\(Self.bundle)/key.pem", "/var/containers/Bundle/Application/0A1B/Photos.app/key.pem",
      "\(Self.bundle)/../Photos.app/./key.pem",
    ] {
      XCTAssertEqual(files.result(path), .init(weakness: nil, place: .appBundle), path)
    }
  }

  func testFileThatIsOutsideOfTheBundleIsNotFixed() {
    var files = phone()
    files.folders("\(Self.bundle).app", owner: Self.installer)
    files.file("\(Self.bundle).app/key.pem", owner: 501)
    files.folders("/private/var/mobile/Documents/Photos.app", owner: 501)
    files.file("/private/var/mobile/Documents/Photos.app/key.pem", owner: 501)
    files.folder(
      "\(Self.bundle)/link", owner: Self.installer, target: "/private/var/mobile/Documents/Photos.app/key.pem")
    for path in [
      "\(Self.bundle)/../Photos.app.app/key.pem", "/private/var/mobile/Documents/Photos.app/key.pem",
      "\(Self.bundle)/link",
      "\(Self.bundle)/../../../../../mobile/Documents/Photos.app/key.pem",
    ] {
      XCTAssertNil(files.result(path).place, path)
    }
    XCTAssertNotNil(files.result("\(Self.bundle)/link").weakness, "the folders around the bundle count again")
  }

  func testWeaknessInTheBundleOrOnAnotherPathToItCounts() {
    let change: [(inout Files) -> Void] = [
      { $0.file("\(Self.bundle)/key.pem", owner: Self.installer, permissions: 0o664) },
      { $0.file("\(Self.bundle)/key.pem", owner: 502) },
      { $0.folders(Self.bundle, owner: Self.installer, permissions: 0o777) },
    ]
    for change in change {
      var files = phone()
      change(&files)
      let result = files.result("\(Self.bundle)/key.pem")
      XCTAssertNotNil(result.weakness)
      XCTAssertNil(result.place)
    }
    var files = phone()
    files.folders("/shared", permissions: 0o777)
    files.folder("/shared/link", target: "\(Self.bundle)/key.pem")
    XCTAssertEqual(files.result("/shared/link").weakness?.reason, "any user may write the folder /shared")
    XCTAssertNil(files.result("/shared/link").place)
  }

  func testNameOfABundleDoesNotMakeOne() throws {
    var files = phone()
    files.bundlePath = nil
    XCTAssertNil(files.result("\(Self.bundle)/key.pem").place)
    XCTAssertNotNil(files.result("\(Self.bundle)/key.pem").weakness)
    #if !canImport(Darwin)
      XCTAssertNil(MachineFacts().bundle, "there are bundles on Apple's systems alone")
    #endif
  }

  func testBundleIsThatOfTheProgramInIt() {
    for (program, bundle) in [
      ("/Applications/Photos.app/Contents/MacOS/Photos", "/Applications/Photos.app"),
      ("/c/Photos.app/Photos", "/c/Photos.app"),
      ("/c/Photos.app/PlugIns/Share.appex/Share", "/c/Photos.app/PlugIns/Share.appex"),
    ] {
      XCTAssertEqual(CurrentProcess.bundle(ofProgramAt: program), bundle)
    }
    for program in [
      "/usr/bin/tool", "/a.app", "/a.app/Contents/Resources/tool", "/a.app/Contents/MacOS/more/tool",
      "/a.application/tool",
      "/Contents/MacOS/tool", "", "/",
    ] {
      XCTAssertNil(CurrentProcess.bundle(ofProgramAt: program), program)
    }
  }

  func testFileOfRootOnAReadOnlyVolumeIsFixed() {
    var files = Files(user: 1000)
    files.folders("/srv/keys")
    files.file("/srv/keys/key.pem", isOnReadOnlyVolume: true)
    files.folder("/srv/key.pem", target: "keys/key.pem")
    for path in ["/srv/keys/key.pem", "/srv/key.pem", "/srv/keys/../keys/key.pem", "/../srv/keys/key.pem"] {
      XCTAssertEqual(files.result(path), .init(weakness: nil, place: .readOnlyVolume), path)
    }
  }

  func testReadOnlyVolumeIsNotEnoughWhereOthersThanRootHaveAPart() {
    let changes: [(String, (inout Files) -> Void)] = [
      ("the volume can be written", { $0.file("/srv/keys/key.pem") }),
      ("the user's own file", { $0.file("/srv/keys/key.pem", owner: 1000, isOnReadOnlyVolume: true) }),
      ("a file of another user", { $0.file("/srv/keys/key.pem", owner: 7, isOnReadOnlyVolume: true) }),
      ("a file of a group", { $0.file("/srv/keys/key.pem", permissions: 0o664, isOnReadOnlyVolume: true) }),
      ("a file of everybody", { $0.file("/srv/keys/key.pem", permissions: 0o646, isOnReadOnlyVolume: true) }),
      ("a folder of everybody", { $0.folders("/srv/keys", permissions: 0o777) }),
      ("a folder of another user", { $0.folders("/srv", owner: 7) }),
      ("a folder in which others mount", { $0.folders("/srv", permissions: 0o1777) }),
    ]
    for (name, change) in changes {
      var files = Files(user: 1000)
      files.folders("/srv/keys")
      files.file("/srv/keys/key.pem", isOnReadOnlyVolume: true)
      change(&files)
      XCTAssertNil(files.result("/srv/keys/key.pem").place, name)
    }
    var files = Files(user: 1000)
    files.folders("/srv/keys")
    files.file("/srv/keys/key.pem", isOnReadOnlyVolume: true)
    files.folders("/open", permissions: 0o1777)
    files.folder("/open/link", target: "/srv/keys/key.pem")
    XCTAssertNil(files.result("/open/link").place, "the path passes a folder that others may write")
    XCTAssertNil(files.result("/open/../srv/keys/key.pem").place, "also if it leaves the folder again")
    files.folder("/srv/cycle", target: "cycle")
    XCTAssertNotNil(files.result("/srv/cycle", opened: "/srv/keys/key.pem").weakness)
  }

  /// Mounts a volume on /mnt, which only the test's thread sees, and reads a file before and after it is read-only.
  func testVolumeOfThisMachineThatIsMountedReadOnlyIsRecognized() throws {
    #if os(Linux)
      try XCTSkipIf(geteuid() != 0, "SKIPPED: only root can mount a volume")
      let outcome = Lock<Swift.Result<[FixedPlace?], any Error>?>(nil)
      let isOver = DispatchSemaphore(value: 0)
      Thread {
        outcome.withLock { $0 = Swift.Result { try Self.placesOnAPrivateMount() } }
        isOver.signal()
      }.start()
      isOver.wait()
      let places = try XCTUnwrap(outcome.withLock { $0 }).get()
      XCTAssertEqual(places, [nil, .readOnlyVolume])
    #else
      throw XCTSkip("SKIPPED: only Linux has volumes that one thread sees")
    #endif
  }

  #if os(Linux)
    /// Returns the places of a file of root in a namespace of mounts that ends with the thread.
    private static func placesOnAPrivateMount() throws -> [FixedPlace?] {
      typealias Unshare = @convention(c) (CInt) -> CInt
      let newNamespace: CInt = 0x20000
      let symbol = try XCTUnwrap(dlsym(nil, "unshare"))
      guard unsafeBitCast(symbol, to: Unshare.self)(newNamespace) == 0,
        mount("none", "/", nil, UInt(MS_REC) | UInt(MS_PRIVATE), nil) == 0, mount("keys", "/mnt", "tmpfs", 0, nil) == 0
      else { throw XCTSkip("SKIPPED: this container permits no mounts (error \(errno))") }
      let path = "/mnt/key.pem"
      try Data("x".utf8).write(to: URL(filePath: path))
      guard chmod("/mnt", 0o755) == 0, chmod(path, 0o644) == 0 else { return [] }
      let before = try SystemFiles().read(path, limit: 9)
      guard mount("keys", "/mnt", "tmpfs", UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0 else { return [] }
      let after = try SystemFiles().read(path, limit: 9)
      return [before.place, after.place]
    }
  #endif
}

/// The files of a machine that does not exist.
private struct Files: FileFacts {
  let user: UInt32
  var bundlePath: String?
  private var entries: [String: FileStatus] = [:]
  private var targets: [String: String] = [:]
  private var nodes: UInt64 = 0

  init(user: UInt32) {
    self.user = user
    folder("/")
  }

  var bundle: FileStatus? { bundlePath.flatMap { entries[$0] } }

  func status(at path: String) -> FileStatus? { entries[path] }

  func target(ofLinkAt path: String) -> String? { targets[path] }

  /// Adds a folder or, with a target, a symbolic link.
  mutating func folder(_ path: String, owner: UInt32 = 0, permissions: UInt16 = 0o755, target: String? = nil) {
    targets[path] = target
    entries[path] = FileStatus(target == nil ? .folder : .link, inode: node(), owner: owner, permissions: permissions)
  }

  /// Adds the folders of a path that are missing, and gives the last one its owner and permissions.
  mutating func folders(_ path: String, owner: UInt32 = 0, permissions: UInt16 = 0o755) {
    var above = ""
    for name in path.split(separator: "/") {
      above += "/\(name)"
      if entries[above] == nil { folder(above) }
    }
    folder(path, owner: owner, permissions: permissions)
  }

  mutating func file(
    _ path: String, owner: UInt32 = 0, permissions: UInt16 = 0o644, isOnReadOnlyVolume: Bool = false
  ) {
    entries[path] = FileStatus(
      .regular, inode: node(), owner: owner, permissions: permissions, isOnReadOnlyVolume: isOnReadOnlyVolume)
  }

  private mutating func node() -> UInt64 {
    nodes += 1
    return nodes
  }

  /// Inspects a path that leads to an open file: by default, to the file that the path names without links and dots.
  func result(_ path: String, opened: String? = nil) -> FilePathWalk<Files>.Findings {
    guard let status = entries[opened ?? resolved(path)] else {
      XCTFail("\(path) names no file")
      return .init()
    }
    return FilePathWalk.findings(of: path, opened: status, on: self)
  }

  private func resolved(_ path: String) -> String {
    var pending = Array(path.split(separator: "/").map(String.init).reversed())
    var parts: [String] = []
    while let name = pending.popLast() {
      if name == "." { continue }
      if name == ".." {
        _ = parts.popLast()
        continue
      }
      parts.append(name)
      guard let target = targets["/" + parts.joined(separator: "/")] else { continue }
      if target.hasPrefix("/") { parts = [] } else { parts.removeLast() }
      pending += target.split(separator: "/").map(String.init).reversed()
    }
    return "/" + parts.joined(separator: "/")
  }
}

extension FileStatus {
  /// Creates the status of a file that does not exist.
  fileprivate init(_ kind: Kind, inode: UInt64, owner: UInt32, permissions: UInt16, isOnReadOnlyVolume: Bool = false) {
    self.init(
      kind: kind, owner: owner, permissions: permissions, size: 0, isOnReadOnlyVolume: isOnReadOnlyVolume, device: 0,
      inode: inode)
  }
}
