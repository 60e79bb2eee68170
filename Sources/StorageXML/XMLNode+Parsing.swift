/// What a document may have at most; the services' own documents stay far below.
package struct XMLLimits: Sendable, Hashable {
  /// The most bytes.
  package var byteCount = 16 << 20

  /// The deepest that elements may lie in each other.
  package var depth = 64

  /// The most attributes of an element.
  package var attributeCount = 64

  /// The most elements: a list of 10,000 parts has 30,000, and with checksums twice as many.
  package var elementCount = 100_000

  /// Whether the control characters U+0001 to U+001F may stand in the document, as themselves or as references.
  ///
  /// XML 1.0 forbids both. OSS and COS read them in the keys that are deleted: the vendors' SDKs for Python write them as
  /// they are, the one for Go writes references.
  package var allowsControlCharacters = false

  /// Sets the limits that every document keeps to.
  package init() {}

  /// The same limits for a service that reads control characters.
  package static let allowingControlCharacters: XMLLimits = {
    var limits = XMLLimits()
    limits.allowsControlCharacters = true
    return limits
  }()
}

extension XMLNode {
  /// Reads a document in UTF-8, in time and memory linear in its length.
  ///
  /// Attributes, comments and processing instructions are read over. Text beside elements is dropped.
  ///
  /// - Parameters:
  ///   - bytes: The document.
  ///   - limits: What it may have at most.
  /// - Returns: The root element.
  /// - Throws: An ``XMLError`` if it is not well-formed, is not in UTF-8, declares another encoding or a document type, or
  ///   exceeds a limit.
  package static func parse(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLError) -> XMLNode {
    var reader = XMLReader(bytes, limits)
    return try reader.document()
  }
}
