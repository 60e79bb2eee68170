// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// A transfer that `/ops/transfers` starts, between the node and its own transfer server, the only one that it reaches.
///
/// The transfer has ended when the response is sent. The node checks the token as the transfer server does, but does
/// not log in, and skips symbolic links.
struct NodeCopy: Sendable {
  private static let pathLimit = 1_000
  /// The maximum number of files and folders that are copied, which paths below each other can multiply.
  private static let entryLimit = 10_000
  let aspera: AsperaContext
  let caller: NodeCaller
  let transferPort: Int

  /// Performs the transfer; if the token or a path is refused, the response describes a failed transfer.
  func perform(_ body: JSONValue, at date: Timestamp) async throws -> Answer {
    guard let direction = body["direction"]?.string.flatMap({ TransferDirection(rawValue: $0) }),
      let token = body["token"]?.string, !token.isEmpty, let paths = body["paths"]?.array,
      (1...Self.pathLimit).contains(paths.count)
    else {
      throw ErrorResponse.nodeBadRequest("The direction, the token or the paths are missing, or there are too many.")
    }
    try require(
      ["127.0.0.1", "localhost", "::1"].contains(body["remote_host"]?.string ?? "")
        && (body["ssh_port"]?.integer ?? transferPort) == transferPort,
      "This node reaches only its own transfer server on 127.0.0.1.")
    let login = body["remote_user"]?.string ?? aspera.directory.transferUser
    let account = try aspera.directory.transferAccount(login).required("There is no remote_user of this name.")
    let (root, nodeFolder) = (try caller.root, try nodeFolder(body, direction))
    let record = TransferRecord(
      .init(
        accessKey: caller.accessKey?.id, userID: caller.userID, direction: direction, login: login,
        tokenType: TransferTokenCheck.kind(ofToken: token), tags: body["tags"], cookie: body["cookie"]?.string,
        paths: paths.compactMap { $0["source"]?.string }, date: date))
    aspera.activity.recordStart(of: record, at: date)
    do {
      let permissions = try TransferTokenCheck(aspera: aspera).permissions(
        forToken: token, tags: Self.tokenTags(of: body, direction), account: account, direction: direction, at: date)
      let serverRoot = body[direction == .send ? "destination_root" : "source_root"]?.string ?? ""
      guard let serverFolder = (permissions?.base ?? .root).appending(serverRoot) else {
        throw TransferRefusal(.badPath, "The root is too long, or leads out of the docroot.")
      }
      let (source, target) = direction == .send ? (nodeFolder, serverFolder) : (serverFolder, nodeFolder)
      for item in try items(paths, from: source, to: target) {
        try await copy(item, permissions, record, at: date)
      }
      if direction == .send { aspera.packages.completeUpload(with: permissions) }
      aspera.activity.recordEnd(of: record, as: .completed, at: date)
    } catch {
      let refusal = error as? TransferRefusal ?? (error as? FileProblem).map { TransferRefusal($0.relative(to: root)) }
      let reason = refusal ?? TransferRefusal(.unknown, "The node could not copy the files.")
      aspera.activity.recordEnd(of: record, as: .failed, because: reason, at: date)
      if refusal == nil { throw error }
    }
    return Answer(.object(record.document))
  }

  /// A file, or a folder with everything below it, that one of the request's `paths` names.
  private struct Item {
    let source, target: NodePath
    let entries: [FileEntry]
  }

  /// Returns the items for all paths, so that their entries are counted before the first one is copied.
  private func items(_ paths: [JSONValue], from sourceFolder: NodePath, to targetFolder: NodePath) throws -> [Item] {
    var items: [Item] = []
    var entryCount = 0
    for path in paths {
      guard let source = path["source"]?.string.flatMap({ NodePath($0) }).map({ sourceFolder.appending($0) }),
        let target = NodePath(path["destination"]?.string ?? source.basename).map({ targetFolder.appending($0) })
      else { throw TransferRefusal(.badPath, "A path is missing, or leads out of the root.") }
      let entries = try aspera.files.walk(source)
      entryCount += entries.count
      guard entryCount <= Self.entryLimit else {
        throw TransferRefusal(.tooManyFiles, "The transfer has more than \(Self.entryLimit) files and folders.")
      }
      items.append(Item(source: source, target: target, entries: entries))
    }
    return items
  }

  private func copy(
    _ item: Item, _ permissions: TransferPermissions?, _ record: TransferRecord, at date: Timestamp
  ) async throws {
    let isUpload = record.start.direction == .send
    try TransferTokenCheck.requireAccess(to: isUpload ? item.target : item.source, with: permissions)
    for entry in item.entries where entry.link == nil {
      let path = item.target.appending(entry.path.relative(to: item.source))
      if isUpload {
        try TransferTokenCheck(aspera: aspera).requireFolder(entry.isFolder ? path : path.parent, with: permissions)
      }
      guard let content = entry.content else {
        try await aspera.files.makeFolder(path, at: date)
        continue
      }
      try await aspera.files.put(content, at: path, modified: date)
      record.add(bytes: content.byteCount, files: 1)
    }
  }

  /// Returns the folder on the node's own side, for which the caller must have the access levels of the direction.
  private func nodeFolder(_ body: JSONValue, _ direction: TransferDirection) throws -> NodePath {
    let (name, levels): (String, AccessLevels) =
      direction == .send ? ("source_root", [.read]) : ("destination_root", [.write, .mkdir])
    if let id = body["\(name)_id"]?.code {
      return try FileService(aspera, for: caller).folder(id, requiring: levels).path
    }
    if let user = caller.bearerUser, !user.isAdministrator {
      throw ErrorResponse.nodeBadRequest("A transfer with a bearer token needs the \(name)_id.")
    }
    return try PathService(aspera: aspera, root: caller.root).path(body[name] ?? "/")
  }

  /// Returns the tags against which the token is checked: the access key and the folder on the server's side.
  private static func tokenTags(of body: JSONValue, _ direction: TransferDirection) -> JSONValue {
    let nodeTags = body["tags"]?["aspera"]?["node"]
    let rootID = body[direction == .send ? "destination_root_id" : "source_root_id"]
    let node = JSONObject(present: [
      "access_key": body["remote_access_key"] ?? nodeTags?["access_key"], "file_id": rootID ?? nodeTags?["file_id"],
    ])
    return ["aspera": ["node": .object(node)]]
  }
}
