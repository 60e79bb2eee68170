// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A call of the Node API, as the method and the path of a request name it.
enum NodeRoute: Sendable {
  case ping, info
  case accessKeys
  case accessKey(String)
  case setAccessKey(String)
  case createAccessKey
  case deleteAccessKey(String)
  case ownAccessKey
  case addPublicKey
  case paths(PathAction)
  /// The content of the file at a percent-encoded path.
  case contents(String)
  case file(String, FileAction)
  case permissions
  case createPermission
  case permission(String)
  case changePermission(String)
  case deletePermission(String)
  case transfers, startTransfer
  case transfer(String), changeTransfer(String), cancelTransfer(String)
  case events
  case event(String)
  case space
  case usage(String?)

  /// A call of the third generation, which names files by their paths in the document of the request.
  enum PathAction: String, Sendable {
    case browse, page, search, info, du, create, delete, rename
    case uploadSetup = "upload_setup"
    case downloadSetup = "download_setup"
  }

  /// A call of the fourth generation, which names a file by its ID.
  enum FileAction: Sendable {
    case show, change, delete, list, create, content
  }

  /// Creates the route of a request, or returns `nil` if the node has no such call.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - path: The path of the request without the query.
  init?(_ method: HTTPRequest.Method, _ path: String) {
    let names = path.words(between: "/").map(String.init)
    switch (method, names.first, names.count) {
    case (.get, "ping", 1): self = .ping
    case (.get, "info", 1): self = .info
    case (.get, "access_keys", 1): self = .accessKeys
    case (.get, "access_keys", 2): self = .accessKey(names[1])
    case (.put, "access_keys", 2): self = .setAccessKey(names[1])
    case (.post, "access_keys", 1): self = .createAccessKey
    case (.delete, "access_keys", 2): self = .deleteAccessKey(names[1])
    case (.get, "self", 1): self = .ownAccessKey
    case (.post, "public_keys", 1): self = .addPublicKey
    case (_, "files", 2...3):
      guard let route = Self(method, file: names[1], names.count > 2 ? names[2] : nil) else { return nil }
      self = route
    case (.get, "permissions", 1): self = .permissions
    case (.post, "permissions", 1): self = .createPermission
    case (.get, "permissions", 2): self = .permission(names[1])
    case (.put, "permissions", 2): self = .changePermission(names[1])
    case (.delete, "permissions", 2): self = .deletePermission(names[1])
    case (_, "ops", 2...3) where names[1] == "transfers":
      guard let route = Self(method, transfer: names.count > 2 ? names[2] : nil) else { return nil }
      self = route
    case (.get, "events", 1): self = .events
    case (.get, "events", 2): self = .event(names[1])
    case (.post, "space", 1): self = .space
    case (.get, "usage", 1): self = .usage(nil)
    case (.get, "usage", 2): self = .usage(names[1])
    default: return nil
    }
  }

  private init?(_ method: HTTPRequest.Method, transfer id: String?) {
    switch (method, id) {
    case (.get, nil): self = .transfers
    case (.post, nil): self = .startTransfer
    case (.get, let id?): self = .transfer(id)
    case (.put, let id?): self = .changeTransfer(id)
    case (.delete, let id?): self = .cancelTransfer(id)
    default: return nil
    }
  }

  private init?(_ method: HTTPRequest.Method, file name: String, _ member: String?) {
    switch (method, member) {
    case (.post, nil):
      guard let action = PathAction(rawValue: name) else { return nil }
      self = .paths(action)
    case (.get, nil): self = .file(name, .show)
    case (.put, nil): self = .file(name, .change)
    case (.delete, nil): self = .file(name, .delete)
    case (.get, "files"?): self = .file(name, .list)
    case (.post, "files"?): self = .file(name, .create)
    case (.get, "content"?): self = .file(name, .content)
    case (.get, "contents"?): self = .contents(name)
    default: return nil
    }
  }

  /// Whether the call accepts a bearer token.
  ///
  /// IBM's description of the Node API lists the kinds of authorization (`security`) of each call. The other calls accept
  /// only Basic authorization.
  var acceptsBearer: Bool {
    switch self {
    case .ownAccessKey, .addPublicKey, .file, .permissions, .createPermission, .permission, .changePermission,
      .deletePermission, .transfers, .startTransfer, .transfer, .changeTransfer, .cancelTransfer, .events, .event,
      .usage:
      true
    case .ping, .info, .accessKeys, .createAccessKey, .accessKey, .setAccessKey, .deleteAccessKey, .paths, .contents,
      .space:
      false
    }
  }
}
