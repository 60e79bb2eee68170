// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth
internal import StorageCrypto

/// The sources of a transfer, and the rules that determine their paths at the destination.
struct SourceNaming: Sendable {
  /// A file or folder to transfer.
  struct Source: Sendable {
    let path: String
    /// The path below the destination, or `nil` if the file or folder keeps its name.
    var destination: String?
  }

  /// The files and folders on the command line, to which a persistent session adds others later.
  let sources: [Source]
  /// The destination folder, or the destination path of a single file.
  let destination: String
  /// Whether the destination can be the path of a single file if it is not an existing folder.
  let destinationMayBeFile: Bool

  private let sourcePrefix: String?
  private let sourceBase: String?

  init(_ commandLine: CommandLineReader, _ mode: Invocation.Mode) throws(Failure) {
    sourcePrefix = try Self.decoded(commandLine[.encodedSourcePrefix])
    sourceBase = try Self.decoded(commandLine[.encodedSourceBase])
    guard mode != .testLogin else {
      sources = []
      destination = ""
      destinationMayBeFile = false
      return
    }
    guard let last = commandLine.arguments.last else { throw .usage("The destination is missing") }
    destination = commandLine[.encodedDestination] == nil ? last : try Self.decoded(last) ?? ""
    var sources = commandLine.arguments.dropLast().map { Source(path: $0) }
    if let path = commandLine[.fileList] { sources += try Self.lines(of: path).map { Source(path: $0) } }
    if let path = commandLine[.filePairList] {
      let lines = try Self.lines(of: path)
      guard lines.count.isMultiple(of: 2) else { throw .usage("The file pair list has a source without a destination") }
      sources += stride(from: 0, to: lines.count, by: 2).map { Source(path: lines[$0], destination: lines[$0 + 1]) }
    }
    if sources.isEmpty, commandLine[.persistent] == nil { throw .usage("There are no sources") }
    self.sources = sources
    // A persistent session receives more sources later.
    destinationMayBeFile =
      commandLine.arguments.count == 2 && commandLine[.fileList] == nil && commandLine[.filePairList] == nil
      && commandLine[.createFolder] == nil && commandLine[.persistent] == nil && sourceBase == nil
      && !destination.hasByteSuffix("/")
  }

  /// Returns the path of a source on the side that sends it.
  func path(of source: Source) -> String { sourcePrefix.map { Self.joined($0, source.path) } ?? source.path }

  func destinationPath(of source: Source) throws(Failure) -> String {
    let relativePath = if let path = source.destination { path } else { try name(of: source) }
    return Self.joined(destination, relativePath)
  }

  /// Returns the path from the root of the transfer set: the path below the source base, or else the name.
  func name(of source: Source) throws(Failure) -> String {
    let path = path(of: source)
    guard let sourceBase else { return path.words(between: "/").last.map(String.init) ?? "" }
    let folder = sourceBase.hasByteSuffix("/") ? sourceBase : sourceBase + "/"
    guard let name = path.removingBytePrefix(folder) else {
      throw Failure(.badPath, "The source does not lie below the source base: \(path)")
    }
    return String(name)
  }

  /// Returns a path below a folder, with one slash between them.
  static func joined(_ folder: String, _ path: String) -> String {
    let relativePath = String(Substring(path.utf8.drop { $0 == UInt8(ascii: "/") }))
    if relativePath.isEmpty { return folder }
    return folder.isEmpty || folder.hasByteSuffix("/") ? folder + relativePath : "\(folder)/\(relativePath)"
  }

  private static func decoded(_ text: String?) throws(Failure) -> String? {
    guard let text else { return nil }
    guard let bytes = [UInt8](base64: text), let path = String(utf8: bytes) else {
      throw .usage("A path is not UTF-8 in Base64")
    }
    return path
  }

  /// Returns the lines of a file list, none of which may be empty, because an empty line would shift the pairs.
  private static func lines(of list: String) throws(Failure) -> [String] {
    guard let data = FileManager.default.contents(atPath: list), let text = String(utf8: data) else {
      throw Failure(.noSuchFile, "The file list cannot be read: \(list)")
    }
    var lines = text.parts(between: "\n").map(String.init)
    if lines.last == "" { lines.removeLast() }
    if let index = lines.firstIndex(of: "") {
      throw .usage("Line \(index + 1) of the file list is empty; write a source or a destination into it: \(list)")
    }
    return lines
  }
}

/// The mapping between paths on this machine and paths on the transfer server for a transfer.
struct PathMapping: Sendable {
  private let invocation: Invocation
  private let server: TransferServerClient
  /// Whether the destination is the path of the only source, instead of a folder for the sources.
  private let destinationIsName: Bool

  init(_ invocation: Invocation, _ server: TransferServerClient) async throws(Failure) {
    self.invocation = invocation
    self.server = server
    let destination = invocation.sourceNaming.destination
    if !invocation.sourceNaming.destinationMayBeFile {
      destinationIsName = false
    } else if invocation.mode == .send {
      destinationIsName = try await server.call("kinds", ["path": .string(destination)])["type"]?.string != "directory"
    } else {
      destinationIsName = LocalEntry(destination)?.isFolder != true
    }
  }

  func remotePath(of source: SourceNaming.Source) throws(Failure) -> String {
    invocation.mode == .send ? try destinationPath(of: source) : invocation.sourceNaming.path(of: source)
  }

  /// Returns the included files and folders of the sources, each folder before its contents.
  func items(of sources: [SourceNaming.Source]) async throws(Failure) -> [TransferItem] {
    var items: [TransferItem] = []
    for source in sources {
      items += invocation.mode == .send ? try localItems(of: source) : try await remoteItems(of: source)
    }
    return invocation.fileRules.filter.included(items)
  }

  private func destinationPath(of source: SourceNaming.Source) throws(Failure) -> String {
    if destinationIsName, source.destination == nil { return invocation.sourceNaming.destination }
    return try invocation.sourceNaming.destinationPath(of: source)
  }

  private func localItems(of source: SourceNaming.Source) throws(Failure) -> [TransferItem] {
    let path = invocation.sourceNaming.path(of: source)
    let destination = try destinationPath(of: source)
    let name = try invocation.sourceNaming.name(of: source)
    return try LocalEntry.contents(of: path, invocation.fileRules).map { entry, relativePath in
      TransferItem(
        kind: entry.linkTarget.map { .link($0) } ?? (entry.isFolder ? .folder : .fileToSend), localPath: entry.path,
        remotePath: SourceNaming.joined(destination, relativePath), attributes: entry.attributes,
        name: SourceNaming.joined(name, relativePath), isSource: relativePath.isEmpty)
    }
  }

  private func remoteItems(of source: SourceNaming.Source) async throws(Failure) -> [TransferItem] {
    let path = invocation.sourceNaming.path(of: source)
    let destination = try destinationPath(of: source)
    let name = try invocation.sourceNaming.name(of: source)
    let links = invocation.fileRules.copiesLinks ? SymbolicLinkPolicy.copy : invocation.fileRules.links
    let response = try await server.call("sources", ["path": .string(path), "links": .string(links.rawValue)])
    guard let entries = response["entries"]?.array else {
      throw Failure(.protocolError, "The transfer desk did not list the files of the source: \(path)")
    }
    var items: [TransferItem] = []
    for entry in entries {
      guard let relativePath = entry["below"]?.string, Self.staysBelow(relativePath) else {
        throw Failure(.protocolError, "The transfer desk listed a file that does not lie in the source: \(path)")
      }
      let item = TransferItem(
        kind: entry["file"]?.integer.map { .fileToReceive($0) } ?? entry["link"]?.string.map { .link($0) } ?? .folder,
        localPath: SourceNaming.joined(destination, relativePath), remotePath: SourceNaming.joined(path, relativePath),
        attributes: FileAttributes(entry), name: SourceNaming.joined(name, relativePath), isSource: relativePath.isEmpty
      )
      if item.isFolder || invocation.fileRules.includes(item.attributes) { items.append(item) }
    }
    return items
  }

  /// Returns whether a relative path, empty for the source itself, stays in the folder.
  private static func staysBelow(_ path: String) -> Bool {
    path.isEmpty || path.parts(between: "/").allSatisfy { !["", ".", ".."].contains($0) }
  }
}
