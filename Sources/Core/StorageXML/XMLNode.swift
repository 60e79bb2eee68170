// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An element of an XML document, with a name and either text or child elements.
///
/// The services' documents require no more: the parser skips comments, processing instructions and attributes.
package struct XMLNode: Sendable, Equatable {
  /// The name of the element, including its namespace prefix if there is one.
  package var name: String

  /// The text of an element without child elements, including all white space.
  package var text: String

  /// The child elements of the element, in order.
  package var children: [XMLNode]

  /// The attributes of the element, which are serialized in the order of their names.
  ///
  /// The parser leaves them empty.
  package var attributes: [String: String] = [:]

  /// Creates an XML element.
  ///
  /// - Parameters:
  ///   - name: The name of the element, including its namespace prefix if there is one.
  ///   - text: The text of the element, which is serialized only if there are no child elements.
  ///   - children: The child elements of the element.
  package init(_ name: String, _ text: String = "", children: [XMLNode] = []) {
    self.name = name
    self.text = text
    self.children = children
  }

  /// Returns the first child element with the given name, or `nil` if there is no such child element.
  package subscript(_ name: String) -> XMLNode? {
    children.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// Returns all child elements with the given name, in order.
  package func all(_ name: String) -> [XMLNode] {
    children.filter { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// Removes the namespace prefixes from the names of the element and of all elements inside of it.
  ///
  /// The depth of a parsed document is limited, so that the recursion is.
  package mutating func removeNamespacePrefixes() {
    if let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) {
      name = String(name[name.utf8.index(after: colon)...])
    }
    for index in children.indices { children[index].removeNamespacePrefixes() }
  }
}
