// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An element of an XML document: a name, and either text or child elements.
///
/// The services' documents need no more: the parser skips comments, processing instructions and attributes.
package struct XMLNode: Sendable, Equatable {
  /// The name, including its prefix if it has one.
  package var name: String

  /// The text of an element without child elements, with all white space.
  package var text: String

  /// The child elements, in their order.
  package var children: [XMLNode]

  /// The attributes, which are serialized in the order of their names and which the parser does not fill.
  package var attributes: [String: String] = [:]

  /// Creates an element.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - text: The text, which is serialized only if there are no child elements.
  ///   - children: The child elements.
  package init(_ name: String, _ text: String = "", children: [XMLNode] = []) {
    self.name = name
    self.text = text
    self.children = children
  }

  /// Returns the first child element with a name, or `nil` if there is none.
  package subscript(_ name: String) -> XMLNode? {
    children.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// Returns all child elements with a name, in their order.
  package func all(_ name: String) -> [XMLNode] {
    children.filter { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
