// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// One of the `transfer_requests` of a setup call: what a client wants to upload or download.
struct TransferRequest: Sendable {
  /// The source or the destination that stands for everything in the `source_root` or the `destination_root`.
  private static let wholeRoot = "*"
  private static let defaultLifetime = Duration.seconds(86_400)
  let direction: TransferDirection
  /// The object `transfer_request`.
  let members: JSONValue
  /// The root folder of the caller, below which all paths of the request are.
  let root: NodePath
  /// Objects with a source, a destination or both, or empty objects (see ``isWholeRoot(_:)``).
  let paths: [JSONValue]

  init(_ direction: TransferDirection, in element: JSONValue, below root: NodePath) throws(ErrorResponse) {
    guard let members = element["transfer_request"], members.object != nil else {
      throw .nodeBadRequest("The transfer_request is missing.")
    }
    self.direction = direction
    self.members = members
    self.root = root
    paths = members["paths"]?.array ?? []
    if direction == .receive, paths.isEmpty { throw .nodeBadRequest("There are no paths.") }
  }

  var lifetime: Duration {
    get throws(ErrorResponse) {
      let message = "The token_life_seconds must be a positive integer."
      let seconds = try members["token_life_seconds"]?.integer(atLeast: 1, message)
      return seconds.map { .seconds($0) } ?? Self.defaultLifetime
    }
  }

  /// The paths that the transfer token grants access to: the destinations of an upload, or the sources of a download.
  var locations: [NodePath] {
    get throws(ErrorResponse) { direction == .send ? try destinations : try sources }
  }

  private var sources: [NodePath] {
    get throws(ErrorResponse) {
      let folder = try folder("source_root")
      return try paths.map { path throws(ErrorResponse) in
        if Self.isWholeRoot(path), members["source_root"]?.string != nil { return folder }
        return try Self.location(path["source"]?.string, in: folder)
      }
    }
  }

  /// The `destination` of each path, or else the last name of its `source`, in the `destination_root`.
  private var destinations: [NodePath] {
    get throws(ErrorResponse) {
      let folder = try folder("destination_root")
      let hasRoot = members["destination_root"]?.string != nil
      guard hasRoot || (!paths.isEmpty && paths.allSatisfy { $0["destination"]?.string != nil }) else {
        throw .nodeBadRequest("An upload needs a destination_root, or a destination for each path.")
      }
      if paths.isEmpty { return [folder] }
      return try paths.map { path throws(ErrorResponse) in
        if let destination = path["destination"]?.string { return try Self.location(destination, in: folder) }
        if Self.isWholeRoot(path) { return folder }
        let source = path["source"]?.string
        return try Self.location(source == Self.wholeRoot ? source : Self.basename(source), in: folder)
      }
    }
  }

  /// The `paths` of the response, which contain only destinations for an upload, as on a real server.
  var responsePaths: JSONValue {
    guard direction == .send else { return .array(paths) }
    return .array(
      paths.map { path in
        if Self.isWholeRoot(path) { return [:] }
        return ["destination": path["destination"] ?? .string(Self.basename(path["source"]?.string) ?? "")]
      })
  }

  /// The `destination_root` of the response, which is the only destination of an upload without a root folder.
  var responseRoot: String {
    if let root = members["destination_root"]?.string { return root }
    guard direction == .send else { return "" }
    guard paths.count == 1, paths[0]["source"] == nil, let root = paths[0]["destination"]?.string else { return "/" }
    return root
  }

  /// The public keys of the request, as lines of `authorized_keys`.
  var publicKeys: [String] {
    switch members["public_keys"] {
    case .string(let text)?: text.utf8.split { $0 == 0x0a || $0 == 0x0d }.map { String(Substring($0)) }
    case .array(let lines)?: lines.compactMap(\.string)
    default: []
    }
  }

  private func folder(_ name: String) throws(ErrorResponse) -> NodePath {
    try root.appending(members[name]?.string ?? "").required("The \(name) is too long, or leads out of the root.")
  }

  /// Returns whether a path is an empty object, which stands for the whole root folder of the request, like `*`.
  private static func isWholeRoot(_ path: JSONValue) -> Bool { path.object?.isEmpty == true }
  private static func basename(_ source: String?) -> String? { source.flatMap { NodePath($0) }?.basename }

  private static func location(_ text: String?, in folder: NodePath) throws(ErrorResponse) -> NodePath {
    if text == wholeRoot { return folder }
    return try folder.appending(text).required("A path is missing, too long, or leads out of the root.")
  }
}

extension NodeAPI {
  private static let transferRequestLimit = 1_000

  func setup(
    _ direction: TransferDirection, _ document: JSONValue, for caller: NodeCaller, at date: Timestamp
  ) throws -> Answer {
    let root = try caller.root
    guard let elements = document["transfer_requests"]?.array, (1...Self.transferRequestLimit).contains(elements.count)
    else {
      throw ErrorResponse.nodeBadRequest("There are no transfer_requests, or more than \(Self.transferRequestLimit).")
    }
    aspera.count { $0.setups += 1 }
    let specifications = try elements.map { element -> JSONValue in
      do {
        let request = try TransferRequest(direction, in: element, below: root)
        return ["transfer_spec": .object(try specification(for: request, of: caller, at: date))]
      } catch let error as ErrorResponse {
        return ["error": error.nodeDocument]
      } catch let problem as FileProblem {
        return ["error": ErrorResponse.node(problem.relative(to: root)).nodeDocument]
      }
    }
    return Answer(["transfer_specs": .array(specifications)])
  }

  /// Returns the transfer specification for a request, with a new token unless the caller has a bearer token.
  func specification(for request: TransferRequest, of caller: NodeCaller, at date: Timestamp) throws -> JSONObject {
    let locations = try request.locations
    let isBearer = caller.bearerUser != nil
    if request.direction == .receive, !isBearer {
      for location in locations { _ = try aspera.files.existingEntry(at: location) }
    }
    let lifetime = try request.lifetime
    let user = aspera.directory.transferUser
    try require(
      aspera.directory.add(publicKeys: request.publicKeys, of: user),
      "One of the public_keys is not a line of authorized_keys.")
    var token: String?
    if !isBearer {
      token = aspera.tokens.issue(
        TransferPermissions(
          direction: request.direction, user: user, accessKey: caller.accessKey?.id, creator: caller.userID,
          base: request.root, locations: locations),
        until: date.advanced(by: aspera.fixedTokenLifetime ?? lifetime), at: date)
      aspera.cloud.counters.count(endpoint) { $0.issued += 1 }
    }
    let port = JSONValue.integer(transferPort)
    return JSONObject(present: [
      "paths": request.responsePaths, "source_root": .string(request.members["source_root"]?.string ?? ""),
      "destination_root": .string(request.responseRoot), "token": token.map { .string($0) },
      "direction": .string(request.direction.rawValue), "cipher": "aes-128",
      "tags": request.members["tags"] ?? .null, "cookie": request.members["cookie"],
      "rate_policy_allowed": "fixed", "rate_policy": "fair", "target_rate_kbps": 10_000, "min_rate_kbps": 0,
      "remote_host": "127.0.0.1", "remote_user": .string(user), "sshfp": .string(aspera.hostKey.description),
      "ssh_port": port, "fasp_port": port, "http_fallback": false,
    ])
  }
}
