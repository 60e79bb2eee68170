// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Compares the page on the architecture with the manifest and with the imports in the sources.
final class ArchitecturePageTests: XCTestCase {
  /// A row of the table of modules.
  private struct Row: Equatable {
    let module: String
    let foundation: String
    let trait: String
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
  }

  /// The edges of the graph: a line for each module, with those that it depends on.
  private func edges() throws -> [String: Set<String>] {
    let parts = try text("Documentation/Architecture.md").components(separatedBy: "```mermaid\n")
    XCTAssertEqual(parts.count, 2, "The page has one graph.")
    var edges: [String: Set<String>] = [:]
    for line in (parts.last ?? "").components(separatedBy: "```")[0].components(separatedBy: "\n") {
      let sides = line.components(separatedBy: "-->")
      guard sides.count == 2 else { continue }
      let name = sides[0].trimmingCharacters(in: .whitespaces)
      let targets = sides[1].components(separatedBy: "&").map { $0.trimmingCharacters(in: .whitespaces) }
      XCTAssertNil(edges[name], "\(name) has two lines.")
      edges[name] = Set(targets)
    }
    return edges
  }

  /// The rows of the table of modules.
  private func rows() throws -> [Row] {
    var rows: [Row] = []
    for line in try text("Documentation/Architecture.md").components(separatedBy: "\n") where line.hasPrefix("| `") {
      let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 6 else {
        XCTFail("The row does not have four cells: \(line)")
        continue
      }
      rows.append(Row(module: cells[1].replacing("`", with: ""), foundation: cells[3], trait: cells[4]))
    }
    return rows
  }

  /// The modules that a module depends on, directly or through others.
  private func reachable(from name: String, in graph: ModuleGraph) -> Set<String> {
    var found: Set<String> = []
    for dependency in graph[name] ?? [] {
      found.insert(dependency)
      found.formUnion(reachable(from: dependency, in: graph))
    }
    return found
  }

  /// Returns the entry of the table for the imports of Foundation in some files.
  private func foundationUse(in files: [SourceTree.File]) -> String {
    let imports = files.map { file in
      file.imports.filter { ["Foundation", "FoundationEssentials", "FoundationNetworking"].contains($0) }
    }.filter { !$0.isEmpty }
    if imports.isEmpty { return "no" }
    return imports.allSatisfy { $0.contains("FoundationEssentials") } ? "Essentials" : "yes"
  }

  func testGraphShowsTheDependenciesInTheManifest() throws {
    let graph = try ModuleGraph()
    var expected: [String: Set<String>] = [:]
    for (name, imports) in graph.modules {
      let direct = imports.filter { $0 != "HTTPTypes" }
      let indirect = direct.reduce(into: Set<String>()) { $0.formUnion(reachable(from: $1, in: graph)) }
      let shown = Set(direct).subtracting(indirect)
      if !shown.isEmpty { expected[name] = shown }
    }
    XCTAssertGreaterThan(expected.count, 15)
    XCTAssertEqual(try edges(), expected)
  }

  func testTableListsEachModuleWithItsFoundationImportsAndItsTrait() throws {
    let manifest = try text("Package.swift")
    var traits: [String: String] = [:]
    for match in manifest.matches(of: /"([^"]+)": products\(\s*(\[[^\]]+\]|"\w+")/) {
      traits[String(match.1)] = match.2.matches(of: /\w+/).map { String($0.0) }.joined(separator: ", ")
    }
    XCTAssertGreaterThan(traits.count, 5)
    let files = Dictionary(grouping: try SourceTree("Sources").files, by: \.target)
    let expected = try ModuleGraph().modules.map { module in
      Row(
        module: module.name, foundation: foundationUse(in: files[module.name] ?? []),
        trait: traits[module.name] ?? "none")
    }
    XCTAssertEqual(try rows(), expected)
  }
}
