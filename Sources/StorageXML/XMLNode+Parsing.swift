internal import Foundation

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

extension XMLNode {
  /// How deep elements may lie in each other; the services' own documents have five levels.
  private static let depthLimit = 64

  /// Reads a document in UTF-8.
  ///
  /// - Parameter bytes: The document.
  /// - Returns: The root element.
  /// - Throws: An ``XMLError`` if it is not well-formed, not UTF-8, deeper than 64 levels, or declares a document type:
  ///   no service sends one, and its entities can grow a small document without limit.
  package static func parse(_ bytes: [UInt8]) throws(XMLError) -> XMLNode {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw XMLError("The document is not UTF-8.") }
    if text.utf8.contains(0) { throw XMLError("The document has a NUL in it.") }
    if bytes.contains(sequence: Array("<!DOCTYPE".utf8)) { throw XMLError("The document declares a document type.") }
    let builder = XMLTreeBuilder(depthLimit: depthLimit)
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = builder
    let isComplete = parser.parse()
    if let problem = builder.problem { throw problem }
    guard isComplete, parser.parserError == nil, let root = builder.root else {
      throw XMLError("The document is not well-formed.", line: parser.lineNumber)
    }
    return root
  }
}

extension [UInt8] {
  fileprivate func contains(sequence: [UInt8]) -> Bool {
    guard let first = sequence.first, count >= sequence.count else { return false }
    var rest = self[...]
    while let index = rest.firstIndex(of: first) {
      if rest[index...].starts(with: sequence) { return true }
      rest = rest[(index + 1)...]
    }
    return false
  }
}

/// Collects what the parser reports into a tree.
private final class XMLTreeBuilder: NSObject, XMLParserDelegate {
  private(set) var root: XMLNode?
  private(set) var problem: XMLError?
  private var open: [XMLNode] = []
  private let depthLimit: Int

  init(depthLimit: Int) {
    self.depthLimit = depthLimit
  }

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
    attributes attributeDict: [String: String] = [:]
  ) {
    guard open.count < depthLimit else {
      problem = XMLError("Elements lie more than \(depthLimit) levels deep.", line: parser.lineNumber)
      parser.abortParsing()
      return
    }
    open.append(XMLNode(elementName))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    guard !open.isEmpty else { return }
    open[open.count - 1].text += string
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    guard !open.isEmpty else { return }
    open[open.count - 1].text += String(decoding: block, as: UTF8.self)
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
  ) {
    guard var node = open.popLast() else { return }
    if !node.children.isEmpty { node.text = "" }
    if open.isEmpty {
      root = node
    } else {
      open[open.count - 1].children.append(node)
    }
  }
}
