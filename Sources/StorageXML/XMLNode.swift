/// An element of an XML document: a name, and either text or elements in it.
///
/// The documents of the services need no more: comments, processing instructions and the attributes of what is read are
/// read over.
package struct XMLNode: Sendable, Equatable {
  /// The name, with its prefix if it has one.
  package var name: String

  /// The text of an element that has no elements in it, every blank kept.
  package var text: String

  /// The elements in it, in their order.
  package var children: [XMLNode]

  /// The attributes to write, in the order of their names; nothing reads them.
  package var attributes: [String: String] = [:]

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
    children.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// All elements in this one with a name, in their order.
  package func all(_ name: String) -> [XMLNode] {
    children.filter { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
