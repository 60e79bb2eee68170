// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageJSON

/// A transfer request in a setup call of the Node API.
struct SetupRequest: Sendable {
  private static let defaultLifetime = Duration.seconds(86_400)

  let direction: TransferDirection
  let request: JSONValue

  /// The elements of the transfer request's `paths`, each with a source, a destination or both.
  let paths: [JSONValue]

  init(_ direction: TransferDirection, _ element: JSONValue) throws(RefusalAnswer) {
    guard let request = element["transfer_request"], request.object != nil else {
      throw .nodeBadRequest("The transfer_request is missing.")
    }
    self.direction = direction
    self.request = request
    paths = request["paths"]?.array ?? []
    if direction == .receive, paths.isEmpty { throw .nodeBadRequest("There are no paths.") }
  }

  /// The requested lifetime of the transfer token, or one day if the request specifies no lifetime.
  var lifetime: Duration {
    get throws(RefusalAnswer) {
      guard let asked = request["token_life_seconds"], asked != .null else { return Self.defaultLifetime }
      guard let seconds = asked.integer, seconds > 0 else {
        throw .nodeBadRequest("The token_life_seconds must be a positive integer.")
      }
      return .seconds(seconds)
    }
  }

  /// The paths that the transfer token grants access to: the destinations of an upload, or the sources of a download.
  var places: [NodePath] {
    get throws(RefusalAnswer) {
      switch direction {
      case .receive:
        let root = try folder("source_root")
        return try paths.map { path throws(RefusalAnswer) in try Self.place(path["source"]?.string, in: root) }
      case .send:
        let root = try folder("destination_root")
        if paths.isEmpty {
          guard request["destination_root"]?.string != nil else {
            throw .nodeBadRequest("An upload needs a destination_root, or a destination for each path.")
          }
          return [root]
        }
        return try paths.map { path throws(RefusalAnswer) in
          if let destination = path["destination"]?.string { return try Self.place(destination, in: root) }
          guard request["destination_root"]?.string != nil else {
            throw .nodeBadRequest("An upload needs a destination_root, or a destination for each path.")
          }
          return try Self.place(path["source"]?.string.flatMap { NodePath($0) }?.basename, in: root)
        }
      }
    }
  }

  /// The `paths` of the response to the setup call.
  ///
  /// For an upload, the paths contain only destinations, as in the responses of a real server.
  var answeredPaths: JSONValue {
    guard direction == .send else { return .array(paths) }
    return .array(
      paths.map { path in
        ["destination": path["destination"] ?? .string(path["source"]?.string.flatMap { NodePath($0) }?.basename ?? "")]
      })
  }

  /// The `destination_root` of the response to the setup call.
  ///
  /// If an upload has no root folder and a single destination, the root is that destination.
  var answeredRoot: String {
    if let root = request["destination_root"]?.string { return root }
    guard direction == .send else { return "" }
    guard paths.count == 1, paths[0]["source"] == nil, let root = paths[0]["destination"]?.string else { return "/" }
    return root
  }

  /// The public keys in the transfer request, each as a line in the format of `authorized_keys`.
  var publicKeys: [String] {
    switch request["public_keys"] {
    case .string(let text)?: text.utf8.split { $0 == 0x0a || $0 == 0x0d }.map { String(Substring($0)) }
    case .array(let lines)?: lines.compactMap(\.string)
    default: []
    }
  }

  private func folder(_ name: String) throws(RefusalAnswer) -> NodePath {
    guard let path = NodePath(request[name]?.string ?? "") else {
      throw .nodeBadRequest("The \(name) leads out of the root.")
    }
    return path
  }

  private static func place(_ text: String?, in root: NodePath) throws(RefusalAnswer) -> NodePath {
    guard let path = text.flatMap({ NodePath($0) }) else {
      throw .nodeBadRequest("A path is missing, or leads out of the root.")
    }
    return root.appending(path)
  }
}
