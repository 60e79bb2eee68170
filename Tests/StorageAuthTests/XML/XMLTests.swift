// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Parsing and serialization of XML documents.
final class XMLTests: XCTestCase {
  func testSerializedDocumentParsesBack() throws {
    let node = XMLNode(
      "Delete",
      children: [
        XMLNode("Quiet", "true"),
        XMLNode("Object", children: [XMLNode("Key", " a&b<c>\r\n\t\"é\u{65E5}' ")]),
        XMLNode("Object", children: [XMLNode("Key", "")]),
      ])
    XCTAssertEqual(try XMLNode.parse(node.serialized()), node)
    XCTAssertEqual(try XMLNode.parse(node.serialized(declaration: nil)), node)
  }

  func testWhiteSpaceIsDroppedBetweenElementsAndKeptInText() throws {
    let text =
      "<?xml version='1.0' encoding='utf-8' ?>\n<A x=\"1\">\n  <B> </B>\n  <!-- c --><B>\n</B>"
      + " <C><![CDATA[<&>]]></C></A>\n"
    let node = try XMLNode.parse(Array(text.utf8))
    XCTAssertEqual(node.all("B").map(\.text), [" ", "\n"])
    XCTAssertEqual(node["C"]?.text, "<&>")
    XCTAssertEqual(node.text, "")
    XCTAssertNil(node["D"])
  }

  func testTextAroundEntitiesIsJoined() throws {
    let node = try XMLNode.parse(Array("<A>GET\n\n&amp;x&#10;\u{20AC}</A>".utf8))
    XCTAssertEqual(node.text, "GET\n\n&x\n\u{20AC}")
  }

  func testInvalidDocumentsAreRejected() {
    let bad = [
      "", " ", "<A>", "<A></B>", "text", "<A>&unknown;</A>", "<A/><B/>", "<A/>text", "<A>\u{0}</A>", "<A>&#1;</A>",
      "<!DOCTYPE A [<!ENTITY e \"x\">]><A>&e;</A>", String(repeating: "<A>", count: 100_000),
    ]
    for text in bad { XCTAssertThrowsError(try XMLNode.parse(Array(text.utf8)), String(text.prefix(60))) }
    XCTAssertThrowsError(try XMLNode.parse([0x3C, 0x41, 0x3E, 0xFF, 0x3C, 0x2F, 0x41, 0x3E]))
  }
}
