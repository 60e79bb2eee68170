// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageClient
import SystemPackage

/// A file, a folder or a link of a simulated disk.
final class Inode {
  enum Content {
    case file([UInt8])
    case folder([FilePath.Component: Inode])
    case link(FilePath)
    case special
  }

  let number: UInt64
  var content: Content
  var permissions: FilePermissions
  var owner: UInt32 = 1000
  var linkCount: UInt64 = 1
  var modified: (seconds: Int64, nanoseconds: Int64)
  /// The folder that has the inode, for "..".
  unowned(unsafe) var parent: Inode?
  var isRemoved = false
  /// The descriptor that has locked the file.
  var lock: Int32?

  init(_ number: UInt64, _ content: Content, _ permissions: FilePermissions, _ modified: (Int64, Int64)) {
    self.number = number
    self.content = content
    self.permissions = permissions
    self.modified = modified
  }

  var children: [FilePath.Component: Inode]? {
    get { if case .folder(let children) = content { children } else { nil } }
    set { if let newValue { content = .folder(newValue) } }
  }

  var bytes: [UInt8]? { if case .file(let bytes) = content { bytes } else { nil } }

  var status: FileStatus {
    let kind: FileStatus.Kind =
      switch content {
      case .file: .regular
      case .folder: .folder
      case .link: .symbolicLink
      case .special: .special
      }
    return FileStatus(
      kind: kind, size: Int64(bytes?.count ?? 0), permissions: permissions, ownerID: owner, linkCount: linkCount,
      device: 1, inode: number, modifiedSeconds: modified.seconds, modifiedNanoseconds: modified.nanoseconds)
  }
}

/// A disk in memory, with the rules of POSIX.
///
/// All functions run on the thread of the scheduler.
final class Disk: @unchecked Sendable {
  let root: Inode
  private var lastNumber: UInt64 = 1
  private var lastDescriptor: Int32 = 100
  fileprivate var descriptors: [Int32: (inode: Inode, process: SimulatedFiles)] = [:]
  private var writes: Int64 = 0
  /// The seconds since 1970.
  var now: Int64 = 1_000_000

  init() {
    root = Inode(1, .folder([:]), [.ownerReadWriteExecute], (0, 0))
  }

  func makeInode(_ content: Inode.Content, _ permissions: FilePermissions) -> Inode {
    lastNumber += 1
    return Inode(lastNumber, content, permissions, modifiedNow)
  }

  var modifiedNow: (seconds: Int64, nanoseconds: Int64) {
    writes += 1
    return (now, writes % 1_000_000_000)
  }

  // MARK: Paths, for the world around the processes

  func folder(_ path: FilePath) -> Inode {
    var folder = root
    for name in path.components {
      if let next = folder.children?[name] {
        folder = next
      } else {
        let made = makeInode(.folder([:]), .ownerReadWriteExecute)
        put(made, name, in: folder)
        folder = made
      }
    }
    return folder
  }

  func put(_ inode: Inode?, _ name: FilePath.Component, in folder: Inode) {
    if let old = folder.children?[name] {
      old.linkCount -= 1
      old.isRemoved = old.linkCount == 0
    }
    folder.children?[name] = inode
    inode?.parent = folder
  }

  func resolve(_ path: FilePath, depth: Int = 0) throws(Errno) -> Inode {
    guard depth < 8 else { throw .tooManySymbolicLinkLevels }
    var inode = root
    for name in path.components {
      guard let children = inode.children else { throw .notDirectory }
      if name.kind == .parentDirectory {
        inode = inode.parent ?? inode
        continue
      }
      guard let next = children[name] else { throw .noSuchFileOrDirectory }
      if case .link(let target) = next.content { inode = try resolve(target, depth: depth + 1) } else { inode = next }
    }
    return inode
  }

  // MARK: Descriptors

  fileprivate func open(_ inode: Inode, _ process: SimulatedFiles) -> FileDescriptor {
    lastDescriptor += 1
    descriptors[lastDescriptor] = (inode, process)
    return FileDescriptor(rawValue: lastDescriptor)
  }

  fileprivate func close(_ descriptor: Int32) {
    if let entry = descriptors.removeValue(forKey: descriptor), entry.inode.lock == descriptor {
      entry.inode.lock = nil
    }
  }

  /// Ends a process: its descriptors and its locks.
  fileprivate func end(_ process: SimulatedFiles) {
    for (descriptor, entry) in descriptors where entry.process === process { close(descriptor) }
  }
}

/// The file system of one simulated process.
final class SimulatedFiles: FileSystem, @unchecked Sendable {
  let disk: Disk
  /// The number of calls until the process is killed, or `nil`.
  var callsToLive: Int?
  private(set) var isKilled = false
  /// Whether the process has received a listing that it can see to be wrong.
  var hasReceivedLie = false
  /// A closure that is called before each call: for faults, and for other programs.
  var disturb: () throws(Errno) -> Void = {}

  init(_ disk: Disk) {
    self.disk = disk
  }

  let userID: UInt32 = 1000

  func runBlocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    await Scheduler.pause()
    return try body()
  }

  /// Counts a call, on the disk or to a service.
  ///
  /// - Throws: An error if the process has been killed; its calls have no effect any more.
  func enter() throws(Errno) {
    if let calls = callsToLive {
      callsToLive = calls - 1
      if calls <= 0 { kill() }
    }
    if isKilled { throw .ioError }
  }

  func kill() {
    isKilled = true
    disk.end(self)
  }

  private func call() throws(Errno) {
    try enter()
    try disturb()
  }

  private func inode(_ descriptor: FileDescriptor) throws(Errno) -> Inode {
    guard let entry = disk.descriptors[descriptor.rawValue], entry.process === self else { throw .badFileDescriptor }
    return entry.inode
  }

  private func child(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> Inode? {
    guard let children = try inode(folder).children else { throw .notDirectory }
    guard name.bytes.count <= 255 else { throw .fileNameTooLong }
    return children[name]
  }

  func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor {
    try call()
    let inode = try disk.resolve(path)
    guard inode.children != nil else { throw .notDirectory }
    return disk.open(inode, self)
  }

  func openFolder(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try call()
    guard let inode = try child(name, in: folder) else { throw .noSuchFileOrDirectory }
    guard inode.children != nil else { throw .notDirectory }
    return disk.open(inode, self)
  }

  func openParent(of folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try call()
    let inode = try inode(folder)
    return disk.open(inode.parent ?? inode, self)
  }

  func openFile(
    _ name: FilePath.Component, in folder: FileDescriptor, _ access: FileAccess
  ) throws(Errno) -> FileDescriptor {
    try call()
    var inode = try child(name, in: folder)
    if case .link(let target)? = inode?.content {
      guard case .reading(followsLink: true) = access else { throw .tooManySymbolicLinkLevels }
      inode = try disk.resolve(target)
    }
    switch access {
    case .creating(let permissions):
      guard inode == nil else { throw .fileExists }
      return try create(name, in: folder, permissions)
    case .openOrCreate:
      if inode == nil { return try create(name, in: folder, .ownerReadWrite) }
    case .reading, .updating: break
    }
    guard let inode else { throw .noSuchFileOrDirectory }
    guard inode.children == nil || access == .reading(followsLink: true) || access == .reading(followsLink: false)
    else {
      throw .isDirectory
    }
    return disk.open(inode, self)
  }

  private func create(
    _ name: FilePath.Component, in folder: FileDescriptor, _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
    let parent = try inode(folder)
    guard !parent.isRemoved else { throw .noSuchFileOrDirectory }
    let made = disk.makeInode(.file([]), permissions)
    disk.put(made, name, in: parent)
    return disk.open(made, self)
  }

  func close(_ descriptor: FileDescriptor) throws(Errno) { disk.close(descriptor.rawValue) }

  func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus {
    try call()
    return try inode(descriptor).status
  }

  func status(
    of name: FilePath.Component, in folder: FileDescriptor, followsLink: Bool
  ) throws(Errno) -> FileStatus {
    try call()
    guard let inode = try child(name, in: folder) else { throw .noSuchFileOrDirectory }
    if followsLink, case .link(let target) = inode.content { return try disk.resolve(target).status }
    return inode.status
  }

  func names(in folder: FileDescriptor) throws(Errno) -> [FilePath.Component] {
    try call()
    guard let children = try inode(folder).children else { throw .notDirectory }
    return children.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  func read(_ file: FileDescriptor, from offset: Int64, upTo count: Int) throws(Errno) -> [UInt8] {
    try call()
    guard let bytes = try inode(file).bytes else { throw .isDirectory }
    return Array(bytes.dropFirst(Int(offset)).prefix(count))
  }

  func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int64) throws(Errno) {
    try call()
    let inode = try inode(file)
    guard var content = inode.bytes else { throw .isDirectory }
    let end = Int(offset) + bytes.count
    if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
    content.replaceSubrange(Int(offset)..<end, with: bytes)
    inode.content = .file(content)
    inode.modified = disk.modifiedNow
  }

  func createFolder(
    _ name: FilePath.Component, in folder: FileDescriptor, permissions: FilePermissions
  ) throws(Errno) {
    try call()
    guard try child(name, in: folder) == nil else { throw .fileExists }
    let parent = try inode(folder)
    guard !parent.isRemoved else { throw .noSuchFileOrDirectory }
    // The process's mask takes the rights of others to write away.
    disk.put(
      disk.makeInode(.folder([:]), permissions.subtracting([.groupWrite, .otherWrite])), name, in: parent)
  }

  func remove(_ name: FilePath.Component, in folder: FileDescriptor, isFolder: Bool) throws(Errno) {
    try call()
    guard let found = try child(name, in: folder) else { throw .noSuchFileOrDirectory }
    if isFolder {
      guard let children = found.children else { throw .notDirectory }
      guard children.isEmpty else { throw .directoryNotEmpty }
    } else if found.children != nil {
      throw .isDirectory
    }
    disk.put(nil, name, in: try inode(folder))
  }

  func rename(
    _ name: FilePath.Component, in folder: FileDescriptor, to newName: FilePath.Component,
    in newFolder: FileDescriptor
  ) throws(Errno) {
    try call()
    guard let moved = try child(name, in: folder) else { throw .noSuchFileOrDirectory }
    let target = try inode(newFolder)
    guard !target.isRemoved else { throw .noSuchFileOrDirectory }
    let replaced = try child(newName, in: newFolder)
    guard replaced?.children == nil else { throw .isDirectory }
    if replaced === moved { return }
    let linkCount = moved.linkCount
    disk.put(nil, name, in: try inode(folder))
    moved.linkCount = linkCount
    moved.isRemoved = false
    disk.put(moved, newName, in: target)
  }

  func setModificationTime(_ seconds: Int64, of file: FileDescriptor) throws(Errno) {
    try call()
    try inode(file).modified = (seconds, 0)
  }

  func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
    try call()
    try inode(file).permissions = permissions
  }

  func synchronize(_ file: FileDescriptor) throws(Errno) { try call() }

  func tryLock(_ descriptor: FileDescriptor) throws(Errno) -> Bool {
    try call()
    let inode = try inode(descriptor)
    guard inode.lock == nil || inode.lock == descriptor.rawValue else { return false }
    inode.lock = descriptor.rawValue
    return true
  }
}
