import Foundation

/// The lines of `modules` in the manifest: each module with what it may import of the package.
struct ModuleGraph {
  let modules: [(name: String, imports: [String])]

  /// Every module that is named, as a line or in one.
  var names: Set<String> { Set(modules.flatMap { [$0.name] + $0.imports }) }

  subscript(_ name: String) -> [String]? { modules.first { $0.name == name }?.imports }

  /// Reads the literal in the manifest: a string in front of a colon is a module, any other one what it imports.
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
