// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageClient
import SystemPackage

/// The clock of a world, in which no sleep takes time.
final class WorldClock: SigningClock, @unchecked Sendable {
  let disk: Disk
  private var slept = Duration.zero

  init(_ disk: Disk) {
    self.disk = disk
  }

  var now: Timestamp { Timestamp(unixSeconds: disk.now) }
  var uptime: Duration { .seconds(disk.now) + slept }

  func sleep(for duration: Duration) async throws {
    slept += duration
    await Scheduler.pause()
  }
}

/// Folders, services and what is around them, made by a seed.
final class World: @unchecked Sendable {
  enum Direction: CaseIterable {
    case up, down, between
  }

  let disk = Disk()
  let clock: WorldClock
  let direction: Direction
  /// The sources, of which each run has one: their keys are the same, and their contents are not.
  let services: [Service]
  /// The stores of which each run has one as its target.
  let targets: [Service]
  var targetIndex = 0
  let prefix: Bytes
  let targetPrefix: Bytes
  /// Whether one side is inside the other, in one bucket.
  let isNested: Bool
  let isCOS: Bool
  var options = SyncOptions()
  private var exclude: Selection?
  private var include: Selection?
  private var dice: Dice
  private var versions = 0

  /// The contents that the source had at a path at any time of the current run.
  var sourceHistory: [Bytes: Set<Bytes>] = [:]
  /// The contents that other programs wrote to a path of the target during the current run.
  var targetWrites: [Bytes: Set<Bytes>] = [:]
  /// The paths at which another program changed something during the current run.
  var disturbedSource: Set<Bytes> = []
  var disturbedTarget: Set<Bytes> = []

  static let rootPath: FilePath = "/home/root"
  static let statePath: FilePath = "/home/state"
  static let marker = Bytes("OUTSIDE".utf8)

  private static let names: [String] = [
    "a", "b", "c", "d", "a.txt", "\u{E9}", "e\u{301}", "\u{301}x", "\u{FE0F}x", "\u{200D}x", "\u{20E3}x", "\u{600}",
    "a b",
    "%2F", "+", "link", "b\u{301}", "\u{1F468}", "A", "-", "x&y<z>",
  ]
  private static let badNames: [String] = ["..", ".", "", "../\u{301}x", "..\u{600}", ".storage-auth-sync"]

  init(seed: UInt64) {
    var dice = Dice(seed: seed)
    clock = WorldClock(disk)
    direction = dice.pick(Direction.allCases)
    isCOS = Bool.random(using: &dice)
    let hasChecksums = dice.permille(700)
    let bucket = isCOS ? "b-1250000000" : "bucket"
    services = (0..<2).map { [disk] _ in Service(disk, bucket: bucket, hasChecksums: hasChecksums) }
    targets = (0..<2).map { [disk] _ in Service(disk, bucket: bucket, hasChecksums: hasChecksums) }
    prefix = Bytes(dice.pick(["", "p/", "\u{E9}/"]).utf8)
    isNested = direction == .between && dice.permille(50)
    targetPrefix = isNested ? prefix + Bytes("a/".utf8) : Bytes(dice.pick(["", "q/", "p/"]).utf8)
    self.dice = dice
    _ = disk.folder(Self.rootPath)
    _ = disk.folder(Self.statePath)
    chooseOptions()
    fillSides()
    fillOutside()
  }

  private func chooseOptions() {
    options.comparison = dice.pick([.sizeAndTime, .sizeAndTime, .checksum, .none])
    options.deletes = dice.permille(750)
    options.allowsEmptySource = dice.permille(200)
    options.deletesAfterFailures = dice.permille(150)
    options.transfersInFlight = dice.pick([1, 2, 4])
    options.stateFolder = dice.permille(700) ? Self.statePath : nil
    options.largeSize = dice.permille(700) ? 40 : nil
    if dice.permille(200) { exclude = dice.pick(Self.excludes) }
    if dice.permille(100) { include = dice.pick(Self.includes) }
    options.excludes = exclude.map { [PathPattern($0.pattern)] } ?? []
    options.includes = include.map { [PathPattern($0.pattern)] } ?? []
  }

  // MARK: Selection

  private typealias Selection = (pattern: String, matches: @Sendable (Bytes) -> Bool)

  private static let excludes: [Selection] = [
    ("a", { $0.lastName.elementsEqual("a".utf8) }), ("*.txt", { $0.lastName.suffix(4).elementsEqual(".txt".utf8) }),
    ("d/", { $0.starts(with: "d/".utf8) }), ("\u{E9}", { $0.lastName.elementsEqual("\u{E9}".utf8) }),
    ("a/**", { $0.starts(with: "a/".utf8) }), ("?", { Bytes($0.lastName).text.unicodeScalars.count == 1 }),
  ]

  private static let includes: [Selection] = [
    ("a*", { $0.lastName.starts(with: "a".utf8) }), ("d/**", { $0.starts(with: "d/".utf8) }), ("*", { _ in true }),
  ]

  /// Returns whether a path is to be synchronized, by what each pattern means and not by how it is compared.
  func selects(_ path: Bytes) -> Bool {
    (include?.matches(path) ?? true) && !(exclude?.matches(path) ?? false)
  }

  // MARK: Contents

  /// Returns a content that occurs once in the world, in one of few sizes.
  func content(_ origin: String) -> Bytes {
    versions += 1
    let size = dice.permille(8) ? dice.pick([110_000, 250_000]) : dice.pick([0, 24, 24, 48, 48])
    if size == 0 { return dice.permille(300) ? [] : Bytes("\(origin)\(versions)".utf8) }
    var bytes = Bytes("\(origin)\(versions)|".utf8)
    bytes += (bytes.count..<max(size, bytes.count)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    return bytes
  }

  private func name() -> String {
    dice.permille(60) ? dice.pick(Self.badNames) : dice.pick(Self.names)
  }

  func path() -> Bytes {
    let depth = dice.pick([1, 1, 1, 2, 2, 3])
    return Bytes((0..<depth).map { _ in name() }.joined(separator: "/").utf8)
  }

  var root: Inode { disk.folder(Self.rootPath) }

  private func fillSides() {
    let paths = (0..<Int.random(in: 0...5, using: &dice)).map { _ in path() }
    for path in paths {
      let (inSource, inTarget) = (dice.permille(800), dice.permille(500))
      switch direction {
      case .up:
        if inSource { write(content("S"), path) }
        if inTarget { for service in targets { put(content("T"), path, service, targetPrefix) } }
      case .down:
        if inSource {
          for (index, service) in services.enumerated() { put(content("S\(index)"), path, service, prefix) }
        }
        if inTarget { write(content("T"), path) }
      case .between:
        if inSource {
          for (index, service) in services.enumerated() { put(content("S\(index)"), path, service, prefix) }
        }
        if inTarget { for service in targets { put(content("T"), path, service, targetPrefix) } }
      }
      if dice.permille(300) { disk.now += 1 }
    }
    for _ in 0..<(dice.permille(250) ? 2 : 0) where direction != .between { plant(in: root) }
    if dice.permille(60) { disk.put(nil, "root", in: disk.folder("/home")) }
  }

  /// Puts something into a folder that cannot be synchronized.
  private func plant(in folder: Inode) {
    let content: Inode.Content =
      dice.permille(700) ? .link(dice.pick(["/outside", "/outside/a", "/home/root/d"])) : .special
    var name = FilePath.Component(dice.pick(Self.names)) ?? "link"
    if dice.permille(250) {
      name = FilePath.Component(platformString: [0x61, CChar(bitPattern: 0xE9), 0x62, 0]) ?? name
    }
    let made =
      dice.permille(150)
      ? disk.makeInode(.file(self.content("S")), .ownerReadWrite) : disk.makeInode(content, .ownerReadWrite)
    disk.put(made, name, in: folder)
  }

  /// Files beside the root, with the names that are in it.
  private func fillOutside() {
    let outside = disk.folder("/outside")
    for name in Self.names + ["item-1", "large-1"] {
      guard let name = FilePath.Component(name) else { continue }
      disk.put(disk.makeInode(.file(Self.marker + Bytes(name.string.utf8)), .ownerReadWrite), name, in: outside)
    }
    for name: FilePath in ["/home/x", "/home/a"] {
      if let last = name.lastComponent {
        disk.put(disk.makeInode(.file(Self.marker), .ownerReadWrite), last, in: disk.folder("/home"))
      }
    }
  }

  /// Writes a file below the root, if the path can be that of a file and its folders are folders.
  func write(_ bytes: Bytes, _ path: Bytes) {
    guard path.isPath else { return }
    var folder = root
    let names = path.parts.compactMap { FilePath.Component(platformString: $0.map { CChar(bitPattern: $0) } + [0]) }
    guard names.count == path.parts.count, let last = names.last else { return }
    for name in names.dropLast() {
      if folder.children?[name] == nil {
        disk.put(disk.makeInode(.folder([:]), .ownerReadWriteExecute), name, in: folder)
      }
      guard let next = folder.children?[name], next.children != nil else { return }
      folder = next
    }
    guard folder.children?[last]?.children == nil else { return }
    disk.put(
      disk.makeInode(.file(bytes), dice.permille(300) ? .ownerReadWrite : [.ownerReadWrite, .groupRead]), last,
      in: folder)
  }

  func put(_ bytes: Bytes, _ path: Bytes, _ service: Service, _ prefix: Bytes) {
    let key = prefix + path
    // Services refuse these.
    guard !key.isEmpty, key.first != UInt8(ascii: "/") else { return }
    service.store(bytes, key)
  }

  // MARK: Snapshots

  /// The store that is the target of the current run, unless it is the source's, too.
  var target: Service { targets[targetIndex] }

  func source(_ index: Int) -> Snapshot {
    direction == .up ? folderSnapshot : services[index].snapshot(below: prefix)
  }

  var targetSnapshot: Snapshot { direction == .down ? folderSnapshot : target.snapshot(below: targetPrefix) }

  private var folderSnapshot: Snapshot {
    guard let root = disk.folder("/home").children?["root"] else { return Snapshot(isMissing: true) }
    var snapshot = disk.snapshot(root)
    let staging = Bytes(".storage-auth-sync".utf8)
    snapshot.files = snapshot.files.filter { $0.key.parts.first.map { !$0.elementsEqual(staging) } ?? true }
    snapshot.others = snapshot.others.filter { $0.parts.first.map { !$0.elementsEqual(staging) } ?? true }
    return snapshot
  }

  /// The contents of everything that no synchronization may touch.
  var outside: [Bytes: Bytes] {
    var contents = disk.snapshot(disk.folder("/outside"), below: Bytes("outside/".utf8)).files.mapValues(\.bytes)
    for (name, inode) in disk.folder("/home").children ?? [:] {
      if let bytes = inode.bytes { contents[name.bytes] = bytes }
    }
    return contents
  }

  // MARK: Other programs

  /// Lets another program change something on either side.
  func disturb(_ index: Int) {
    disk.now += 2
    let path = path()
    let onSource = Bool.random(using: &dice)
    if onSource { disturbedSource.insert(path) } else { disturbedTarget.insert(path) }
    let isFolder = onSource ? direction == .up : direction == .down
    if isFolder {
      disturbFolder(path)
    } else {
      let service = onSource ? services[index] : target
      let key = (onSource ? prefix : targetPrefix) + path
      guard !key.isEmpty, key.first != UInt8(ascii: "/") else { return }
      if dice.permille(600) {
        let bytes = content(onSource ? "S" : "T")
        service.store(bytes, key)
        if !onSource { targetWrites[path, default: []].insert(bytes) }
      } else {
        service.objects[key] = nil
      }
    }
    record(index)
  }

  private func disturbFolder(_ path: Bytes) {
    guard let folder = disk.folder("/home").children?["root"] else { return }
    switch Int.random(in: 0..<10, using: &dice) {
    case 0..<4:
      let bytes = content(direction == .up ? "S" : "T")
      mark(path)
      for ancestor in path.ancestors { mark(ancestor) }
      write(bytes, path)
      if direction == .down { targetWrites[path, default: []].insert(bytes) }
    case 4..<6:
      // A file or a folder becomes a link to its namesake outside, or into the folder itself.
      guard let name = folder.children?.keys.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }).first else {
        return
      }
      let link: FilePath = dice.permille(700) ? "/outside" : FilePath("/outside").appending(name)
      markAll(below: name, in: folder)
      disk.put(disk.makeInode(.link(link), .ownerReadWrite), name, in: folder)
    case 6..<7:
      guard let name = folder.children?.keys.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }).last else {
        return
      }
      markAll(below: name, in: folder)
      disk.put(nil, name, in: folder)
    case 7..<8:
      // A file changes in place, and keeps its size.
      // The folder for incomplete files is the synchronization's own: no other user can write there.
      let files = folderSnapshot.files
      let paths = files.keys.sorted { $0.lexicographicallyPrecedes($1) }
      guard let path = paths.first, let size = files[path]?.bytes.count, size > 8 else { return }
      mark(path)
      var bytes = content(direction == .up ? "S" : "T")
      bytes = Bytes(bytes.prefix(size)) + [UInt8](repeating: 0x21, count: max(0, size - bytes.count))
      if direction == .down { targetWrites[path, default: []].insert(bytes) }
      inode(path)?.content = .file(bytes)
      inode(path)?.modified = disk.modifiedNow
    default:
      for name in folder.children?.keys ?? [:].keys { markAll(below: name, in: folder) }
      plant(in: folder)
      for name in folder.children?.keys ?? [:].keys {
        markAll(below: name, in: folder)
        if direction == .down, let bytes = folder.children?[name]?.bytes {
          targetWrites[name.bytes, default: []].insert(bytes)
        }
      }
    }
  }

  private func inode(_ path: Bytes) -> Inode? {
    path.parts.reduce(Optional(root)) { folder, part in
      FilePath.Component(platformString: part.map { CChar(bitPattern: $0) } + [0]).flatMap { folder?.children?[$0] }
    }
  }

  private func mark(_ path: Bytes) {
    if direction == .up { disturbedSource.insert(path) } else { disturbedTarget.insert(path) }
  }

  private func markAll(below name: FilePath.Component, in folder: Inode) {
    mark(name.bytes)
    guard let inode = folder.children?[name], inode.children != nil else { return }
    for path in disk.snapshot(inode, below: name.bytes + [UInt8(ascii: "/")]).files.keys { mark(path) }
  }

  /// Enters the contents of the source into the history of the run.
  func record(_ index: Int) {
    for (path, file) in source(index).files { sourceHistory[path, default: []].insert(file.bytes) }
  }

  func roll(_ chance: Int) -> Bool { dice.permille(chance) }
  func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
  func lie() -> Service.Lie { dice.pick(Service.Lie.allCases) }
  func fault() -> Connection.Fault { dice.pick(Connection.Fault.allCases) }
}
