// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth

/// The mapping between paths on this machine and paths on the transfer desk for a transfer.
struct Route: Sendable {
  private let invocation: Invocation
  private let desk: DeskClient

  /// Whether the destination is the path of the only source, instead of a folder for the sources.
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

  /// Returns the path on the transfer desk to which a source is written or from which it is read.
  func remotePath(of source: SourceNaming.Source) throws(Failure) -> String {
    invocation.mode == .send ? try target(of: source) : invocation.sources.path(of: source)
  }

  /// Returns the files and folders in the given sources that the rules include, with each folder before its contents.
  func items(of sources: [SourceNaming.Source]) async throws(Failure) -> [Item] {
    var items: [Item] = []
    for source in sources {
      items += invocation.mode == .send ? try localItems(of: source) : try await remoteItems(of: source)
    }
    return invocation.rules.filter.included(items) { ($0.name, $0.isFolder) }
  }

  private func target(of source: SourceNaming.Source) throws(Failure) -> String {
    destinationIsName ? invocation.sources.destination : try invocation.sources.target(of: source)
  }

  private func localItems(of source: SourceNaming.Source) throws(Failure) -> [Item] {
    let path = invocation.sources.path(of: source)
    let target = try target(of: source)
    let name = try invocation.sources.name(of: source)
    return try LocalFile.walk(path, invocation.rules).map { file, below in
      Item(
        kind: file.link.map { .link($0) } ?? (file.isFolder ? .folder : .fileToSend), localPath: file.path,
        remotePath: SourceNaming.joined(target, below), standing: file.standing,
        name: SourceNaming.joined(name, below), isSource: below.isEmpty)
    }
  }

  private func remoteItems(of source: SourceNaming.Source) async throws(Failure) -> [Item] {
    let path = invocation.sources.path(of: source)
    let target = try target(of: source)
    let name = try invocation.sources.name(of: source)
    let links = invocation.rules.copiesLinks ? SymbolicLinkPolicy.copy : invocation.rules.links
    let response = try await desk.call("sources", ["path": .string(path), "links": .string(links.rawValue)])
    return (response["entries"]?.array ?? []).compactMap { entry in
      let below = entry["below"]?.string ?? ""
      let item = Item(
        kind: entry["file"]?.integer.map { .fileToReceive($0) } ?? entry["link"]?.string.map { .link($0) } ?? .folder,
        localPath: SourceNaming.joined(target, below), remotePath: SourceNaming.joined(path, below),
        standing: FileRules.Standing(entry), name: SourceNaming.joined(name, below), isSource: below.isEmpty)
      return item.isFolder || invocation.rules.includes(item.standing) ? item : nil
    }
  }
}

extension FileRules.Standing {
  /// Parses the size and the modification time in a response from the transfer desk.
  init(_ document: JSONValue) {
    self.init(
      byteCount: Int64(max(document["bytes"]?.integer ?? 0, 0)), modified: Int64(document["modified"]?.integer ?? 0))
  }
}
