// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A parser without recursion for the subset of XML that the services use.
///
/// The specification is [Extensible Markup Language (XML) 1.0](https://www.w3.org/TR/xml/). The parser does not support
/// document types, the entities that they declare, and encodings other than UTF-8.
struct XMLReader {
  /// The maximum length of a reference, in bytes; the longest valid one is `&#x10FFFF;` with a few leading zeros.
  private static let referenceByteLimit = 24
  private static let predefinedEntities = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

  private let bytes: [UInt8]
  private let limits: XMLLimits
  private var position = 0
  /// The elements whose end tags have not been parsed, starting with the root.
  private var openElements: [OpenElement] = []
  private var elementCount = 0

  private struct OpenElement {
    let name: ArraySlice<UInt8>
    var text: [UInt8] = []
    var children: [XMLNode] = []
  }

  init(_ bytes: [UInt8], _ limits: XMLLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func parseDocument() throws(XMLError) -> XMLNode {
    guard bytes.count <= limits.byteCount else {
      throw XMLError(message: "The document is longer than \(limits.byteCount) bytes.", line: nil)
    }
    try checkCharacters()
    // A byte order mark is no part of the document (XML 1.0, section 4.3.3).
    _ = skip("\u{FEFF}")
    if starts(with: "<?xml"), position + 5 < bytes.count, isBlank(bytes[position + 5]) { try parseDeclaration() }
    try skipMiscellaneous()
    guard position < bytes.count else { throw failure("The document has no element.") }
    guard bytes[position] == UInt8(ascii: "<") else { throw failure("There is text before the first element.") }
    let root = try parseRoot()
    try skipMiscellaneous()
    guard position == bytes.count else { throw failure("The document continues after the end of the root element.") }
    return root
  }

  // MARK: Characters

  private mutating func checkCharacters() throws(XMLError) {
    guard let text = String(utf8: bytes) else {
      throw XMLError(message: "The document is not UTF-8; no other encoding is supported.", line: nil)
    }
    // In UTF-8, the characters that XML forbids are control characters, or start as U+FFFE and U+FFFF do.
    guard bytes.contains(where: { $0 < 0x20 && !isBlank($0) || $0 == 0xEF }),
      let index = text.unicodeScalars.firstIndex(where: { !isAllowed($0) })
    else { return }
    position = text.utf8.distance(from: text.startIndex, to: index)
    throw failure("The document contains the character \(text.unicodeScalars[index].codePoint), which XML forbids.")
  }

  private func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isXMLCharacter || limits.allowsControlCharacters && scalar.isControl
  }

  private func starts(with text: StaticString) -> Bool {
    bytes.withElements { $0.extracting(position...).starts(with: text) }
  }

  /// Moves the position past a text, and returns whether the text was there.
  private mutating func skip(_ text: StaticString) -> Bool {
    guard starts(with: text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t")
  }

  /// Skips white space, and returns whether there was any.
  @discardableResult private mutating func skipBlanks() -> Bool {
    let start = position
    while position < bytes.count, isBlank(bytes[position]) { position += 1 }
    return position > start
  }

  private mutating func expect(_ text: StaticString, orThrow message: String) throws(XMLError) {
    guard skip(text) else { throw failure(message) }
  }

  /// Moves the position past the next occurrence of a delimiter, and returns the bytes before the delimiter.
  private mutating func read(
    to delimiter: StaticString, orThrow message: String
  ) throws(XMLError) -> ArraySlice<UInt8> {
    let start = position
    let firstByte = delimiter.description.utf8.first
    while position < bytes.count {
      if bytes[position] == firstByte, starts(with: delimiter) {
        defer { position += delimiter.utf8CodeUnitCount }
        return bytes[start..<position]
      }
      position += 1
    }
    position = start
    throw failure(message)
  }

  /// Returns the error for a problem at the position.
  private func failure(_ message: String) -> XMLError {
    var line = 1
    for byte in bytes[..<position] where byte == UInt8(ascii: "\n") { line += 1 }
    return XMLError(message: message, line: line)
  }

  // MARK: Outside of elements

  /// Parses an XML declaration, such as `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`.
  private mutating func parseDeclaration() throws(XMLError) {
    position += "<?xml".utf8.count
    skipBlanks()
    try expect("version", orThrow: "The XML declaration does not begin with the version.")
    let version = try parseDeclaredValue()
    guard version.count > 2, version.starts(with: "1.".utf8), version.dropFirst(2).allSatisfy(\.isASCIIDigit) else {
      throw failure("The document does not declare a version 1.x of XML.")
    }
    var hasBlank = skipBlanks()
    if hasBlank, skip("encoding") {
      let encoding = try parseDeclaredValue()
      guard String(decoding: encoding, as: UTF8.self).asciiLowercased.isIdentical(to: "utf-8") else {
        throw failure("The document declares another encoding than UTF-8.")
      }
      hasBlank = skipBlanks()
    }
    if hasBlank, skip("standalone") {
      let standalone = try parseDeclaredValue()
      guard standalone.elementsEqual("yes".utf8) || standalone.elementsEqual("no".utf8) else {
        throw failure("The value of standalone is neither yes nor no.")
      }
      skipBlanks()
    }
    try expect("?>", orThrow: "The XML declaration has an unknown part.")
  }

  private mutating func parseDeclaredValue() throws(XMLError) -> ArraySlice<UInt8> {
    skipBlanks()
    try expect("=", orThrow: "A part of the XML declaration has no value.")
    skipBlanks()
    if skip("\"") { return try read(to: "\"", orThrow: "A value of the XML declaration does not end.") }
    try expect("'", orThrow: "A value of the XML declaration has no quotation marks.")
    return try read(to: "'", orThrow: "A value of the XML declaration does not end.")
  }

  /// Skips white space, comments and processing instructions outside the root element.
  private mutating func skipMiscellaneous() throws(XMLError) { repeat { skipBlanks() } while try skipMarkup() }

  /// Skips a comment or a processing instruction, if one starts at the position, and returns whether one did.
  private mutating func skipMarkup() throws(XMLError) -> Bool {
    if skip("<!--") {
      _ = try read(to: "--", orThrow: "A comment does not end.")
      try expect(">", orThrow: "A comment contains two hyphens.")
      return true
    }
    if starts(with: "<!DOCTYPE") { throw failure("The document declares a document type; no service sends one.") }
    guard !starts(with: "<!") else { throw failure("<! starts neither a comment nor a CDATA section.") }
    guard skip("<?") else { return false }
    try skipInstruction()
    return true
  }

  /// Skips the rest of a processing instruction, after its `<?`.
  private mutating func skipInstruction() throws(XMLError) {
    let target = try parseName(orThrow: "A processing instruction has no name.")
    guard !String(decoding: target, as: UTF8.self).asciiLowercased.isIdentical(to: "xml") else {
      throw failure("An XML declaration is not at the start of the document.")
    }
    if skip("?>") { return }
    guard skipBlanks() else { throw failure("A processing instruction has no white space after its name.") }
    _ = try read(to: "?>", orThrow: "A processing instruction does not end.")
  }

  // MARK: Elements

  /// Parses the root element with its content, keeping the open elements in a list instead of recursing.
  private mutating func parseRoot() throws(XMLError) -> XMLNode {
    if let node = try parseStartTag() { return node }
    while true {
      guard position < bytes.count else { throw failure("The document ends in the middle of an element.") }
      switch bytes[position] {
      case UInt8(ascii: "<"):
        if skip("</") {
          let node = try parseEndTag()
          if openElements.isEmpty { return node }
          openElements[openElements.count - 1].children.append(node)
        } else if skip("<![CDATA[") {
          append(try read(to: "]]>", orThrow: "A CDATA section does not end."))
        } else if try !skipMarkup(), let node = try parseStartTag() {
          openElements[openElements.count - 1].children.append(node)
        }
      case UInt8(ascii: "&"): openElements[openElements.count - 1].text += try parseReference()
      default: try parseText()
      }
    }
  }

  /// Parses a start tag, and returns the element if the tag is self-closing, or `nil` if the element is now open.
  private mutating func parseStartTag() throws(XMLError) -> XMLNode? {
    position += 1
    let name = try parseName(orThrow: "< is not followed by a name.")
    guard openElements.count < limits.depth else {
      throw failure("Elements are nested deeper than \(limits.depth) levels.")
    }
    elementCount += 1
    guard elementCount <= limits.elementCount else {
      throw failure("The document has more than \(limits.elementCount) elements.")
    }
    try skipAttributes()
    if skip("/>") { return XMLNode(String(decoding: name, as: UTF8.self)) }
    try expect(">", orThrow: "A start tag does not end.")
    openElements.append(OpenElement(name: name))
    return nil
  }

  /// Skips the attributes of a start tag, which must be well-formed and unique.
  private mutating func skipAttributes() throws(XMLError) {
    var names: Set<ArraySlice<UInt8>> = []
    while skipBlanks(), position < bytes.count, bytes[position] != UInt8(ascii: ">"), !starts(with: "/>") {
      let name = try parseName(orThrow: "A start tag contains characters that are not part of an attribute.")
      guard names.insert(name).inserted else { throw failure("A start tag contains an attribute twice.") }
      guard names.count <= limits.attributeCount else {
        throw failure("A start tag has more than \(limits.attributeCount) attributes.")
      }
      skipBlanks()
      try expect("=", orThrow: "An attribute has no value.")
      skipBlanks()
      try skipAttributeValue()
    }
  }

  private mutating func skipAttributeValue() throws(XMLError) {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
      throw failure("The value of an attribute has no quotation marks.")
    }
    let quote = bytes[position]
    position += 1
    while position < bytes.count, bytes[position] != quote {
      switch bytes[position] {
      case UInt8(ascii: "<"): throw failure("The value of an attribute contains <.")
      case UInt8(ascii: "&"): _ = try parseReference()
      default: position += 1
      }
    }
    guard position < bytes.count else { throw failure("The value of an attribute does not end.") }
    position += 1
  }

  /// Parses the rest of an end tag, after its `</`, and returns the element that it closes.
  private mutating func parseEndTag() throws(XMLError) -> XMLNode {
    let name = try parseName(orThrow: "</ is not followed by a name.")
    guard let element = openElements.popLast(), element.name == name else {
      throw failure("An end tag closes another element than the one that is open.")
    }
    skipBlanks()
    try expect(">", orThrow: "An end tag does not end.")
    return XMLNode(
      String(decoding: name, as: UTF8.self),
      element.children.isEmpty ? String(decoding: element.text, as: UTF8.self) : "", children: element.children)
  }

  // MARK: Text

  /// Parses the text up to the next `<` or `&`, and appends it to the innermost open element.
  private mutating func parseText() throws(XMLError) {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "<"), bytes[position] != UInt8(ascii: "&") {
      if bytes[position] == UInt8(ascii: "]"), starts(with: "]]>") { throw failure("Text contains ]]>.") }
      position += 1
    }
    append(bytes[start..<position])
  }

  /// Appends text to the innermost open element, and converts line endings to line feeds (XML 1.0, section 2.11).
  private mutating func append(_ text: ArraySlice<UInt8>) {
    guard text.contains(UInt8(ascii: "\r")) else {
      openElements[openElements.count - 1].text += text
      return
    }
    var previous: UInt8 = 0
    for byte in text {
      if byte == UInt8(ascii: "\r") {
        openElements[openElements.count - 1].text.append(UInt8(ascii: "\n"))
      } else if byte != UInt8(ascii: "\n") || previous != UInt8(ascii: "\r") {
        openElements[openElements.count - 1].text.append(byte)
      }
      previous = byte
    }
  }

  /// Parses a character or entity reference, starting at its `&`, and returns the UTF-8 bytes that it represents.
  private mutating func parseReference() throws(XMLError) -> [UInt8] {
    let start = position
    guard let end = bytes[start...].prefix(Self.referenceByteLimit).firstIndex(of: UInt8(ascii: ";")) else {
      throw failure("& does not start a reference.")
    }
    let name = String(decoding: bytes[start + 1..<end], as: UTF8.self)
    let character =
      if let entity = Self.predefinedEntities[name] { entity } else { String(try parseCharacterReference(name)) }
    position = end + 1
    return Array(character.utf8)
  }

  private func parseCharacterReference(_ name: String) throws(XMLError) -> Unicode.Scalar {
    guard name.utf8.first == UInt8(ascii: "#") else { throw failure("A reference is to an unknown entity.") }
    guard let scalar = Self.parseCharacter(name.utf8.dropFirst()) else {
      throw failure("A reference does not stand for a character.")
    }
    guard isAllowed(scalar) else {
      throw failure("A reference stands for the character \(scalar.codePoint), which XML does not allow.")
    }
    return scalar
  }

  /// Returns the character for a numeric reference such as `#10` or `#xA`, given without its number sign.
  private static func parseCharacter(_ number: Substring.UTF8View) -> Unicode.Scalar? {
    let isHexadecimal = number.first == UInt8(ascii: "x")
    let digits = isHexadecimal ? number.dropFirst() : number
    // The initializer of the integer would accept a sign, too.
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return UInt32(Substring(digits), radix: isHexadecimal ? 16 : 10).flatMap { Unicode.Scalar($0) }
  }

  private mutating func parseName(orThrow message: String) throws(XMLError) -> ArraySlice<UInt8> {
    let name = bytes[position...].prefix(while: Self.isNameByte)
    guard let first = name.first, !first.isASCIIDigit, first != UInt8(ascii: "-"), first != UInt8(ascii: "."),
      name.allSatisfy({ $0 < 0x80 }) || Self.isUnicodeName(name)
    else { throw failure(message) }
    position = name.endIndex
    return name
  }

  /// Returns whether a byte is an ASCII character of names, or part of a character that is not ASCII.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte >= 0x80 || "_:-.".utf8.contains(byte)
  }

  private static func isUnicodeName(_ name: ArraySlice<UInt8>) -> Bool {
    let scalars = String(decoding: name, as: UTF8.self).unicodeScalars
    return scalars.allSatisfy(\.isXMLNameCharacter) && scalars.first?.isXMLNameStart ?? false
  }
}

/// The productions Char, NameStartChar and NameChar of [XML 1.0, fifth edition](https://www.w3.org/TR/xml/).
extension Unicode.Scalar {
  var isXMLCharacter: Bool {
    switch value {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  /// Whether the scalar is one of those that ``XMLLimits/allowsControlCharacters`` allows.
  var isControl: Bool { (0x1...0x1F).contains(value) }

  var isXMLNameStart: Bool {
    switch value {
    case 0x3A, 0x41...0x5A, 0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF,
      0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
      0x10000...0xEFFFF:
      true
    default: false
    }
  }

  var isXMLNameCharacter: Bool {
    switch value {
    case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isXMLNameStart
    }
  }

  var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
