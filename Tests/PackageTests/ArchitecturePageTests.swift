// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Compares the page on the architecture with the manifest and with the imports in the sources.
final class ArchitecturePageTests: XCTestCase {
  /// A row of the table of modules.
  private struct Row: Equatable {
    let layer: String
    let module: String
    let foundation: String
    let trait: String
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
  }

  /// The edges of the graph: a line for each module, with those that it depends on.
  private func edges() throws -> [String: Set<String>] {
    let parts = try text("Documentation/Internals/Architecture.md").components(separatedBy: "```mermaid\n")
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
    for line in try text("Documentation/Internals/Architecture.md").components(separatedBy: "\n")
    where line.contains(/^\| \w+ \| `/) {
      let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 7 else {
        XCTFail("The row does not have five cells: \(line)")
        continue
      }
      rows.append(
        Row(layer: cells[1], module: cells[2].replacing("`", with: ""), foundation: cells[4], trait: cells[5]))
    }
    return rows
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
    for row in graph.modules {
      let direct = row.imports.filter { $0 != "HTTPTypes" }
      let indirect = direct.reduce(into: Set<String>()) { $0.formUnion(graph[$1] ?? []) }
      let shown = Set(direct).subtracting(indirect)
      if !shown.isEmpty { expected[row.name] = shown }
    }
    XCTAssertGreaterThan(expected.count, 15)
    XCTAssertEqual(try edges(), expected)
  }

  func testTableListsEachModuleWithItsLayerItsFoundationImportsAndItsTrait() throws {
    let files = Dictionary(grouping: try SourceTree("Sources").files, by: \.target)
    let expected = try ModuleGraph().modules.map { row in
      Row(
        layer: row.layer, module: row.name, foundation: foundationUse(in: files[row.name] ?? []),
        trait: row.traits.isEmpty ? "none" : row.traits.joined(separator: ", "))
    }
    XCTAssertEqual(try rows(), expected)
  }

  func testPictureShowsTheModulesOfEachLayer() throws {
    let drawing = try text("Documentation/layers.svg")
    var shown: [String: Set<String>] = [:]
    for layer in drawing.components(separatedBy: "<rect").dropFirst(2) {
      let texts = layer.components(separatedBy: "<text").dropFirst().compactMap { text in
        text.components(separatedBy: ">").dropFirst().first?.components(separatedBy: "<").first
      }
      let name = try XCTUnwrap(texts.first)
      shown[name] = Set(texts.dropFirst(2).flatMap { $0.components(separatedBy: "  ·  ") })
    }
    let expected = Dictionary(grouping: try ModuleGraph().modules, by: \.layer).mapValues { Set($0.map(\.name)) }
    XCTAssertEqual(shown, expected)
  }
}
