/// An element of an XML document: a name, and either text or elements in it.
///
/// The answers and the requests of the services need no more: attributes, comments and processing instructions are read
/// over and never written.
package struct XMLNode: Sendable, Equatable {
  /// The name, with its prefix if it has one.
  package var name: String

  /// The text of an element that has no elements in it, every blank kept.
  package var text: String

  /// The elements in it, in their order.
  package var children: [XMLNode]

  /// Makes an element.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - text: The text; written only if there are no children.
  ///   - children: The elements in it.
  package init(_ name: String, _ text: String = "", children: [XMLNode] = []) {
    self.name = name
    self.text = text
    self.children = children
  }

  /// The first element in this one with a name.
  package subscript(_ name: String) -> XMLNode? {
    children.first { $0.name == name }
  }

  /// All elements in this one with a name, in their order.
  package func all(_ name: String) -> [XMLNode] {
    children.filter { $0.name == name }
  }
}
