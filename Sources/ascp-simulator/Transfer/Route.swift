internal import Foundation
internal import StorageJSON

/// Which path on this machine belongs to which path of the desk.
struct Route: Sendable {
  private let invocation: Invocation
  private let desk: DeskClient

  /// Whether the one source takes the destination for its name.
  private let destinationIsName: Bool

  init(_ invocation: Invocation, _ desk: DeskClient) async throws(Failure) {
    self.invocation = invocation
    self.desk = desk
    let destination = invocation.sources.destination
    if !invocation.sources.destinationMayBeFile {
      destinationIsName = false
    } else if invocation.mode == .send {
      destinationIsName = try await desk.call("kinds", ["path": .string(destination)])["type"]?.string != "directory"
    } else {
      destinationIsName = LocalFile(destination)?.isFolder != true
    }
  }

  /// The path of the desk that a source is written to or read from.
  func remotePath(of source: SourceNaming.Source) throws(Failure) -> String {
    invocation.mode == .send ? try target(of: source) : invocation.sources.path(of: source)
  }

  /// The files and folders that sources consist of, folders before what is in them.
  func items(of sources: [SourceNaming.Source]) async throws(Failure) -> [Item] {
    var items: [Item] = []
    for source in sources {
      items += invocation.mode == .send ? try localItems(of: source) : try await remoteItems(of: source)
    }
    return items
  }

  private func target(of source: SourceNaming.Source) throws(Failure) -> String {
    destinationIsName ? invocation.sources.destination : try invocation.sources.target(of: source)
  }

  private func localItems(of source: SourceNaming.Source) throws(Failure) -> [Item] {
    let path = invocation.sources.path(of: source)
    let target = try target(of: source)
    return try LocalFile.walk(path, invocation.rules).map { file, below in
      Item(
        kind: file.isFolder ? .folderToSend : .fileToSend, localPath: file.path,
        remotePath: SourceNaming.joined(target, below), standing: file.standing, isSource: below.isEmpty)
    }
  }

  private func remoteItems(of source: SourceNaming.Source) async throws(Failure) -> [Item] {
    let path = invocation.sources.path(of: source)
    let target = try target(of: source)
    let answer = try await desk.call("sources", ["path": .string(path)])
    return (answer["entries"]?.array ?? []).compactMap { entry in
      let below = entry["below"]?.string ?? ""
      let item = Item(
        kind: entry["file"]?.integer.map { .fileToReceive($0) } ?? .folderToReceive,
        localPath: SourceNaming.joined(target, below), remotePath: SourceNaming.joined(path, below),
        standing: FileRules.Standing(entry), isSource: below.isEmpty)
      guard case .fileToReceive = item.kind else { return item }
      return invocation.rules.includes(item.standing) ? item : nil
    }
  }
}

extension FileRules.Standing {
  /// What the desk says about a file.
  init(_ document: JSONValue) {
    self.init(
      byteCount: Int64(max(document["bytes"]?.integer ?? 0, 0)), modified: Int64(document["modified"]?.integer ?? 0))
  }
}
