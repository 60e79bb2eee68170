// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

extension FileService {
  /// The maximum length of the IDs in a link, in bytes.
  private static let idByteLimit = 255

  /// Creates a file, a folder or a link in a folder.
  func create(_ id: String, _ document: JSONValue, at date: Timestamp) async throws -> Answer {
    let type = document["type"]?.string
    guard let type, ["file", "folder", "link"].contains(type) else {
      throw RefusalAnswer.nodeBadRequest("The type must be file, folder or link.")
    }
    let folder = try folder(id, for: type == "folder" ? .mkdir : .write)
    guard let path = document["name"]?.string.flatMap({ folder.path.child($0) }) else {
      throw RefusalAnswer.nodeBadRequest("The name is missing, or is not a single name of a file.")
    }
    guard path.isWithinLimits else { throw FileProblem.tooLong }
    guard document["mount_point"]?.bool != true else {
      throw RefusalAnswer.nodeBadRequest("This node has no mount points.")
    }
    switch type {
    case "folder":
      if try aspera.files.entry(at: path) != nil { throw FileProblem.exists(path) }
      try await aspera.files.makeFolder(path, at: date)
    case "file": try await aspera.files.create(Self.contents(document["contents"]), at: path, date)
    default: try await aspera.files.create([], at: path, date, link: Self.link(document))
    }
    guard let entry = try aspera.files.entry(at: path) else { throw FileProblem.notFound(path) }
    var answer = self.document(of: entry, aspera.files.register.id(of: path), levels(at: path))
    if entry.isFile { answer["content_type"] = "application/octet-stream" }
    return Answer(.object(answer))
  }

  /// Returns the bytes of a file from a document's Base64, or no bytes if the member is missing.
  static func contents(_ value: JSONValue?) throws(RefusalAnswer) -> [UInt8] {
    switch value {
    case nil, .null?: return []
    case .string(let text)?:
      guard let bytes = [UInt8](base64: text) else { throw .nodeBadRequest("The contents are not in Base64.") }
      return bytes
    default: throw .nodeBadRequest("The contents are not a string in Base64.")
    }
  }

  private static func link(_ document: JSONValue) throws(RefusalAnswer) -> FileLink {
    let (target, node) = (document["target_id"]?.code, document["target_node_id"]?.code)
    guard let target, !target.isEmpty, target.utf8.count <= idByteLimit, (node ?? "").utf8.count <= idByteLimit else {
      throw .nodeBadRequest("A link needs a target_id of at most \(idByteLimit) bytes.")
    }
    return .file(id: target, nodeID: node)
  }
}
