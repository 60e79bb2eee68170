// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An element of an XML document, with a name and either text or child elements.
///
/// The services' documents require no more: the parser skips comments, processing instructions and attributes.
package struct XMLNode: Sendable, Equatable {
  package var name: String
  /// The text of an element without child elements, including all white space.
  package var text: String
  package var children: [XMLNode]
  /// The attributes, which are serialized in the order of their names, and which the parser leaves empty.
  package var attributes: [String: String] = [:]

  package init(_ name: String, _ text: String = "", children: [XMLNode] = []) {
    self.name = name
    self.text = text
    self.children = children
  }

  /// Returns the first child element with a name, or `nil` if there is none.
  package subscript(_ name: String) -> XMLNode? { children.first { $0.name.isIdentical(to: name) } }
  /// Returns all child elements with a name.
  package func all(_ name: String) -> [XMLNode] { children.filter { $0.name.isIdentical(to: name) } }

  /// Removes the namespace prefixes of all names; the parser limits the depth of the recursion.
  package mutating func removeNamespacePrefixes() {
    if let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) {
      name = String(name[name.utf8.index(after: colon)...])
    }
    for index in children.indices { children[index].removeNamespacePrefixes() }
  }
}

/// The limits for a parsed XML document, far above the services' own, so that no document can use up the memory.
package struct XMLLimits: Sendable, Hashable {
  package var byteCount = 16 << 20
  package var depth = 64
  package var attributeCount = 64
  /// The maximum number of elements: a list of 10,000 parts contains 30,000, or 60,000 with checksums.
  package var elementCount = 100_000

  /// Whether the document may contain the control characters U+0001 to U+001F, as literal characters or as references.
  ///
  /// XML 1.0 forbids both. OSS and COS accept them in the keys of a multiple-object deletion. The vendors' Python SDKs
  /// send literal characters, and the Go SDK sends references.
  package var allowsControlCharacters: Bool

  package init(allowsControlCharacters: Bool = false) { self.allowsControlCharacters = allowsControlCharacters }

  package static let allowingControlCharacters = XMLLimits(allowsControlCharacters: true)
}

extension XMLNode {
  /// Parses an XML document in UTF-8, in time and memory linear in its length; text beside child elements is dropped.
  package static func parse(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLError) -> XMLNode {
    var reader = XMLReader(bytes, limits)
    return try reader.parseDocument()
  }

  package static let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#

  /// Serializes the element as a document in UTF-8, without white space between elements.
  package func serialized(declaration: String? = XMLNode.declaration) -> [UInt8] {
    var bytes: [UInt8] = []
    if let declaration {
      bytes += "\(declaration)\n".utf8
    }
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    bytes += "<\(name)".utf8
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      bytes += " \(name)=\"".utf8
      for scalar in value.unicodeScalars { Self.write(scalar, to: &bytes) }
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: ">"))
    for child in children { child.write(to: &bytes) }
    if children.isEmpty { for scalar in text.unicodeScalars { Self.write(scalar, to: &bytes) } }
    bytes += "</\(name)>".utf8
  }

  /// Appends a character in a form from which a parser recreates the same character.
  ///
  /// A literal carriage return, for example, would become a line feed. The other control characters, which XML cannot
  /// represent, are written as references, so that a parser rejects the document instead of changing a name silently.
  private static func write(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "&": bytes += "&amp;".utf8
    case "<": bytes += "&lt;".utf8
    case ">": bytes += "&gt;".utf8
    case "\"": bytes += "&quot;".utf8
    case "\n", "\t": bytes += String(scalar).utf8
    case "\u{0}"..<" ": bytes += "&#\(scalar.value);".utf8
    default: bytes += scalar.utf8
    }
  }
}

/// An XML parsing error, with its reason and the line of the problem.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
  package let message: String
  /// The line of the problem, starting at 1, or `nil` if the problem has no single position.
  package let line: Int?
  package var description: String { line.map { "\(message) Line \($0)." } ?? message }
}
