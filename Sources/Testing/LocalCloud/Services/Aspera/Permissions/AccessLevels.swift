// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The access levels that a permission of the node grants on a file, or on a folder and everything below it.
struct AccessLevels: OptionSet, Sendable {
  let rawValue: UInt8

  static let list = AccessLevels(rawValue: 1)
  static let read = AccessLevels(rawValue: 1 << 1)
  static let write = AccessLevels(rawValue: 1 << 2)
  static let delete = AccessLevels(rawValue: 1 << 3)
  static let mkdir = AccessLevels(rawValue: 1 << 4)
  static let rename = AccessLevels(rawValue: 1 << 5)
  static let preview = AccessLevels(rawValue: 1 << 6)

  static let all: AccessLevels = [.list, .read, .write, .delete, .mkdir, .rename, .preview]

  private static let byName: [(name: String, level: AccessLevels)] = [
    ("list", .list), ("read", .read), ("write", .write), ("delete", .delete), ("mkdir", .mkdir), ("rename", .rename),
    ("preview", .preview),
  ]

  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  init(_ levels: some Sequence<LocalCloud.NodePermission.AccessLevel>) {
    self = levels.reduce(into: []) { union, level in union.formUnion(Self(named: level.rawValue) ?? []) }
  }

  /// Returns the level with a name, or `nil` if there is no such level.
  init?(named name: String) {
    guard let level = Self.byName.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.level else { return nil }
    self = level
  }

  /// Creates access levels from a document's array of names, or returns `nil` if it is empty or contains another value.
  init?(_ value: JSONValue?) {
    guard let names = value?.array, !names.isEmpty else { return nil }
    var levels: AccessLevels = []
    for name in names {
      guard let level = name.string.flatMap({ Self(named: $0) }) else { return nil }
      levels.formUnion(level)
    }
    self = levels
  }

  /// The names of the levels, in the order of IBM's description of the Node API.
  var names: [String] { Self.byName.filter { contains($0.level) }.map(\.name) }

  /// The names of the levels as an array of a document.
  var document: JSONValue { .array(names.map { .string($0) }) }

  /// The name of the levels in the older form of the Node API, `edit` or `view`.
  var olderName: String { contains(.write) ? "edit" : "view" }
}
