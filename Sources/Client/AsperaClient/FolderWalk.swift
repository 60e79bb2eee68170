// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A walk over the files of an Aspera node, folder by folder, in the byte order of their keys.
///
/// A folder is sorted by its name followed by a slash, which is the common prefix of all keys in the folder. The files
/// of a folder and its subfolders therefore appear in the order of a flat listing.
actor FolderWalk {
  /// The maximum depth of nested folders; a deeper hierarchy is considered a cycle.
  private static let depthLimit = 256

  private struct Step {
    /// The key of a file, or the key of a folder with a trailing slash.
    let key: String
    let entry: NodeEntry
    /// The IDs of the folders that lead to the entry, as far as the node identifies folders by IDs.
    let ancestorIDs: [String?]
  }

  private let findNode: @Sendable () async throws -> NodeClient
  private let prefix: String
  private let delimiter: String?
  /// The remaining files and folders, with the next step last, or `nil` before the first folder was requested.
  private var steps: [Step]?
  private var lastCommonPrefix: String?
  private var pageCount = 0

  private init(prefix: String, delimiter: String?, _ findNode: @escaping @Sendable () async throws -> NodeClient) {
    self.findNode = findNode
    self.prefix = prefix
    self.delimiter = delimiter == "" ? nil : delimiter
  }

  static func listing(
    prefix: String, delimiter: String?, on findNode: @escaping @Sendable () async throws -> NodeClient
  ) -> ObjectListing {
    ObjectListing {
      let walk = FolderWalk(prefix: prefix, delimiter: delimiter, findNode)
      return { _ in try await walk.nextPage() }
    }
  }

  private func nextPage() async throws -> ListPage {
    let node = try await findNode()
    if steps == nil { steps = try await firstSteps(on: node) }
    var entries: [ListEntry] = []
    while let step = steps?.last, entries.count < node.sender.configuration.keysPerPage {
      if step.entry.isFolder, delimiter != "/" {
        // A page that has an entry does not wait for the request of another folder.
        if !entries.isEmpty { break }
        let children = try await children(of: step, on: node)
        steps?.removeLast()
        steps? += children ?? []
      } else {
        steps?.removeLast()
        if let entry = try listEntry(for: step) { entries.append(entry) }
      }
    }
    pageCount += 1
    return ListPage(entries: entries, continuation: steps?.isEmpty == true ? nil : "\(pageCount)")
  }

  private func firstSteps(on node: NodeClient) async throws -> [Step] {
    _ = try node.provider.nodeURL.get()
    let folder = prefix.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(prefix[..<$0]) } ?? ""
    // No file has a key whose prefix starts with a slash or contains an invalid folder.
    guard folder.isEmpty ? !prefix.beginsWithByte("/") : NodeFilePath.isKey(folder) else { return [] }
    let children = try await children(ofFolder: folder, [nil], on: node) ?? []
    return children.filter { $0.key.utf8.starts(with: prefix.utf8) }
  }

  private func children(of step: Step, on node: NodeClient) async throws -> [Step]? {
    let key = String(step.key.removingByteSuffix("/") ?? step.key[...])
    if let id = step.entry.id, step.ancestorIDs.contains(id) {
      throw StorageError.malformedResponse("the folder \(node.sender.location(ofKey: key)) contains itself")
    }
    return try await children(ofFolder: key, step.ancestorIDs + [step.entry.id], on: node)
  }

  private func children(ofFolder key: String, _ ancestorIDs: [String?], on node: NodeClient) async throws -> [Step]? {
    guard ancestorIDs.count <= Self.depthLimit else {
      throw StorageError(
        .tooLarge, "\(node.sender.location(ofKey: key)) is \(ancestorIDs.count) folders deep.",
        remedy: "List it with a delimiter, a folder at a time.")
    }
    guard let entries = try await node.files.entries(ofFolder: key) else { return nil }
    let steps = entries.map { entry in
      let entryKey = (key.isEmpty ? "" : key + "/") + entry.name + (entry.isFolder ? "/" : "")
      return Step(key: entryKey, entry: entry, ancestorIDs: ancestorIDs)
    }
    return steps.sorted { $1.key.utf8.lexicographicallyPrecedes($0.key.utf8) }
  }

  /// Returns the listing entry for a file or folder, or `nil` if its common prefix was returned before.
  private func listEntry(for step: Step) throws(StorageError) -> ListEntry? {
    if let delimiter, let range = step.key.utf8.dropFirst(prefix.utf8.count).firstRange(of: delimiter.utf8) {
      let commonPrefix = String(decoding: step.key.utf8[..<range.upperBound], as: UTF8.self)
      defer { lastCommonPrefix = commonPrefix }
      return lastCommonPrefix?.isIdentical(to: commonPrefix) == true ? nil : .commonPrefix(commonPrefix)
    }
    guard let size = step.entry.size else { throw StorageError.malformedResponse("a listed file has no size") }
    return .object(ListedObject(key: step.key, size: size, lastModified: step.entry.modified))
  }
}
