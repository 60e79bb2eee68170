// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `modules` of the manifest: each module with the modules of the package that it may import.
struct ModuleGraph {
  let modules: [(name: String, imports: [String])]

  /// Every named module, as a line of its own or as a dependency.
  var names: Set<String> { Set(modules.flatMap { [$0.name] + $0.imports }) }

  subscript(_ name: String) -> [String]? { modules.first { $0.name == name }?.imports }

  /// Parses the literal in the manifest: a string before a colon is a module, any other string is one of its imports.
  init() throws {
    let manifest = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
    let literal = /\nlet modules: [^=]*= \[\n(.*?)\n\]\n/.dotMatchesNewlines()
    guard let lines = manifest.firstMatch(of: literal) else { throw CocoaError(.fileReadCorruptFile) }
    var modules: [(name: String, imports: [String])] = []
    for token in lines.1.matches(of: /"([^"]+)"(:?)/) {
      if token.2 == ":" {
        modules.append((String(token.1), []))
      } else if !modules.isEmpty {
        modules[modules.count - 1].imports.append(String(token.1))
      }
    }
    self.modules = modules
  }
}
