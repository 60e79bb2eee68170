// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `layers` of the manifest: each module with its layer, the modules of its row and its traits.
struct ModuleGraph {
  struct Row: Equatable {
    let layer: String
    let name: String
    let imports: [String]
    let traits: [String]
  }

  let modules: [Row]

  /// Every named module, as a row of its own or as a dependency.
  var names: Set<String> { Set(modules.flatMap { [$0.name] + $0.imports }) }

  /// The modules in C, which have no rows, and which only the modules whose rows name them may import.
  static let inC: Set = ["CLibcrypto", "CCommonCrypto", "CCarryless", "CZlib"]

  /// The modules that a module may import: those of its row, and those that these may import.
  subscript(_ name: String) -> Set<String>? {
    guard let row = modules.first(where: { $0.name == name }) else { return nil }
    return row.imports.reduce(into: Set(row.imports)) { $0.formUnion((self[$1] ?? []).subtracting(Self.inC)) }
  }

  /// Parses the literal in the manifest: layers with the calls that create their rows.
  init() throws {
    let manifest = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
    let literal = /\nlet layers: [^=]*= \[\n(.*?)\n\]\n/.dotMatchesNewlines()
    guard let text = manifest.firstMatch(of: literal)?.1 else { throw CocoaError(.fileReadCorruptFile) }
    let row = /Module\(\s*"([^"]+)"((?:\s*[,+]\s*"[^"]*")*)/
    var modules: [Row] = []
    for layer in text.matches(of: /\n?  "(\w+)": \[\n(.*?)\n  \]/.dotMatchesNewlines()) {
      modules += layer.2.matches(of: row).map { match in
        let columns = Self.columns(match.2)
        return Row(
          layer: String(layer.1), name: String(match.1), imports: Self.names(columns.first),
          traits: Self.names(columns.dropFirst(2).first))
      }
    }
    self.modules = modules
  }

  /// Returns the texts of a row, each of which can be written in several parts.
  private static func columns(_ text: Substring) -> [String] {
    text.matches(of: /([,+])\s*"([^"]*)"/).reduce(into: []) { columns, part in
      if part.1 == "+", let last = columns.popLast() {
        columns.append(last + part.2)
      } else {
        columns.append(String(part.2))
      }
    }
  }

  private static func names(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }
}
