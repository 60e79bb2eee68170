/// Reads a document of the subset that the services write, in one pass over its bytes.
///
/// [Extensible Markup Language (XML) 1.0](https://www.w3.org/TR/xml/) states the rules. Left out are document types, the
/// entities that they declare, and every encoding but UTF-8.
struct XMLReader {
  private let bytes: [UInt8]
  private let limits: XMLLimits
  private var position = 0
  /// The elements that are not closed yet, the root first.
  private var open: [OpenElement] = []
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

  /// Reads the whole document.
  mutating func document() throws(XMLError) -> XMLNode {
    guard bytes.count <= limits.byteCount else {
      throw XMLError("The document is longer than \(limits.byteCount) bytes.")
    }
    try checkCharacters()
    if starts(with: "\u{FEFF}") { position += 3 }
    if starts(with: "<?xml"), position + 5 < bytes.count, isBlank(bytes[position + 5]) { try declaration() }
    try misc()
    guard position < bytes.count else { throw failure("The document has no element.") }
    guard bytes[position] == UInt8(ascii: "<") else { throw failure("There is text before the first element.") }
    let root = try element()
    try misc()
    guard position == bytes.count else { throw failure("Something follows the end of the root element.") }
    return root
  }

  // MARK: Characters

  /// Refuses bytes that are not UTF-8, and characters that XML does not allow.
  private mutating func checkCharacters() throws(XMLError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw XMLError("The document is not UTF-8; no other encoding is read.")
    }
    guard let index = text.unicodeScalars.firstIndex(where: { !isAllowed($0) }) else { return }
    position = text.utf8.distance(from: text.startIndex, to: index)
    throw failure("The document has the character \(text.unicodeScalars[index].codePoint), which XML does not allow.")
  }

  private func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isXMLCharacter || limits.allowsControlCharacters && scalar.isControl
  }

  private func starts(with text: StaticString) -> Bool {
    let text = text.description.utf8
    return bytes.count - position >= text.count && bytes[position..<position + text.count].elementsEqual(text)
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t")
  }

  /// Moves over blanks.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  private mutating func skipBlanks() -> Bool {
    let start = position
    while position < bytes.count, isBlank(bytes[position]) { position += 1 }
    return position > start
  }

  private mutating func expect(_ text: StaticString, _ message: String) throws(XMLError) {
    guard starts(with: text) else { throw failure(message) }
    position += text.utf8CodeUnitCount
  }

  /// Moves behind the next occurrence of a text.
  ///
  /// - Returns: What stands before it.
  private mutating func read(to end: StaticString, _ message: String) throws(XMLError) -> ArraySlice<UInt8> {
    let start = position
    let first = end.description.utf8.first
    while position < bytes.count {
      if bytes[position] == first, starts(with: end) {
        defer { position += end.utf8CodeUnitCount }
        return bytes[start..<position]
      }
      position += 1
    }
    position = start
    throw failure(message)
  }

  /// An error about what stands at the present position.
  private func failure(_ message: String) -> XMLError {
    var line = 1
    for byte in bytes[..<position] where byte == UInt8(ascii: "\n") { line += 1 }
    return XMLError(message, line: line)
  }

  // MARK: What stands outside of elements

  /// Reads `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`.
  private mutating func declaration() throws(XMLError) {
    position += 5
    skipBlanks()
    try expect("version", "The XML declaration does not begin with the version.")
    let version = try declaredValue()
    guard version.count > 2, version.starts(with: "1.".utf8), version.dropFirst(2).allSatisfy(isDigit) else {
      throw failure("The document declares another version of XML than 1.0.")
    }
    var hasBlank = skipBlanks()
    if hasBlank, starts(with: "encoding") {
      position += 8
      let encoding = try declaredValue()
      guard String(decoding: encoding, as: UTF8.self).lowercased().utf8.elementsEqual("utf-8".utf8) else {
        throw failure("The document declares another encoding than UTF-8.")
      }
      hasBlank = skipBlanks()
    }
    if hasBlank, starts(with: "standalone") {
      position += 10
      let standalone = try declaredValue()
      guard standalone.elementsEqual("yes".utf8) || standalone.elementsEqual("no".utf8) else {
        throw failure("The XML declaration is neither standalone nor not.")
      }
      skipBlanks()
    }
    try expect("?>", "The XML declaration has something in it that does not belong there.")
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func declaredValue() throws(XMLError) -> ArraySlice<UInt8> {
    skipBlanks()
    try expect("=", "A part of the XML declaration has no value.")
    skipBlanks()
    if starts(with: "\"") {
      position += 1
      return try read(to: "\"", "A value of the XML declaration does not end.")
    }
    try expect("'", "A value of the XML declaration has no quotation marks.")
    return try read(to: "'", "A value of the XML declaration does not end.")
  }

  /// Moves over blanks, comments and processing instructions.
  private mutating func misc() throws(XMLError) {
    while true {
      skipBlanks()
      if starts(with: "<!--") {
        try comment()
      } else if starts(with: "<?") {
        try instruction()
      } else if starts(with: "<!") {
        throw undeclared
      } else {
        return
      }
    }
  }

  /// The error for `<!` with neither a comment nor character data behind it.
  private var undeclared: XMLError {
    starts(with: "<!DOCTYPE")
      ? failure("The document declares a document type; no service sends one.")
      : failure("After <! stands neither a comment nor character data.")
  }

  private mutating func comment() throws(XMLError) {
    position += 4
    _ = try read(to: "--", "A comment does not end.")
    try expect(">", "A comment has two hyphens in it.")
  }

  private mutating func instruction() throws(XMLError) {
    position += 2
    let target = try name("A processing instruction has no name.")
    guard String(decoding: target, as: UTF8.self).lowercased() != "xml" else {
      throw failure("An XML declaration stands elsewhere than at the start.")
    }
    if starts(with: "?>") {
      position += 2
      return
    }
    guard skipBlanks() else { throw failure("A processing instruction has no blank behind its name.") }
    _ = try read(to: "?>", "A processing instruction does not end.")
  }

  // MARK: Elements

  /// Reads an element with everything in it; the position is at its `<`.
  private mutating func element() throws(XMLError) -> XMLNode {
    if let node = try startTag() { return node }
    while true {
      guard position < bytes.count else { throw failure("The document ends in the middle of an element.") }
      switch bytes[position] {
      case UInt8(ascii: "<"):
        if starts(with: "</") {
          let node = try endTag()
          if open.isEmpty { return node }
          open[open.count - 1].children.append(node)
        } else if starts(with: "<!--") {
          try comment()
        } else if starts(with: "<![CDATA[") {
          position += 9
          let text = try read(to: "]]>", "Character data does not end.")
          append(text)
        } else if starts(with: "<!") {
          throw undeclared
        } else if starts(with: "<?") {
          try instruction()
        } else if let node = try startTag() {
          open[open.count - 1].children.append(node)
        }
      case UInt8(ascii: "&"):
        open[open.count - 1].text += try reference()
      default:
        try characters()
      }
    }
  }

  /// Reads a start tag.
  ///
  /// - Returns: The element if it ends in the same tag; `nil` if it is open now.
  private mutating func startTag() throws(XMLError) -> XMLNode? {
    position += 1
    let name = try name("After < stands no name.")
    guard open.count < limits.depth else { throw failure("Elements lie more than \(limits.depth) levels deep.") }
    elementCount += 1
    guard elementCount <= limits.elementCount else {
      throw failure("The document has more than \(limits.elementCount) elements.")
    }
    try attributes()
    if starts(with: "/>") {
      position += 2
      return XMLNode(String(decoding: name, as: UTF8.self))
    }
    try expect(">", "A start tag does not end.")
    open.append(OpenElement(name: name))
    return nil
  }

  /// Reads over the attributes of a start tag: each is well-formed and there once.
  private mutating func attributes() throws(XMLError) {
    var names: Set<ArraySlice<UInt8>> = []
    while skipBlanks(), position < bytes.count, bytes[position] != UInt8(ascii: ">"), !starts(with: "/>") {
      let name = try name("A start tag has something else in it than attributes.")
      guard names.insert(name).inserted else { throw failure("A start tag has an attribute twice.") }
      guard names.count <= limits.attributeCount else {
        throw failure("A start tag has more than \(limits.attributeCount) attributes.")
      }
      skipBlanks()
      try expect("=", "An attribute has no value.")
      skipBlanks()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
        throw failure("The value of an attribute has no quotation marks.")
      }
      let quote = bytes[position]
      position += 1
      while position < bytes.count, bytes[position] != quote {
        switch bytes[position] {
        case UInt8(ascii: "<"): throw failure("The value of an attribute has a < in it.")
        case UInt8(ascii: "&"): _ = try reference()
        default: position += 1
        }
      }
      guard position < bytes.count else { throw failure("The value of an attribute does not end.") }
      position += 1
    }
  }

  /// Reads the end tag of the innermost open element.
  private mutating func endTag() throws(XMLError) -> XMLNode {
    position += 2
    let name = try name("After </ stands no name.")
    guard let element = open.popLast(), element.name == name else {
      throw failure("An end tag closes another element than the one that is open.")
    }
    skipBlanks()
    try expect(">", "An end tag does not end.")
    return XMLNode(
      String(decoding: name, as: UTF8.self),
      element.children.isEmpty ? String(decoding: element.text, as: UTF8.self) : "", children: element.children)
  }

  // MARK: Text

  /// Reads text up to the next `<` or `&`.
  private mutating func characters() throws(XMLError) {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "<"), bytes[position] != UInt8(ascii: "&") {
      if bytes[position] == UInt8(ascii: "]"), starts(with: "]]>") { throw failure("Text has ]]> in it.") }
      position += 1
    }
    append(bytes[start..<position])
  }

  /// Appends text with its line ends as line feeds.
  private mutating func append(_ text: ArraySlice<UInt8>) {
    guard text.contains(UInt8(ascii: "\r")) else {
      open[open.count - 1].text += text
      return
    }
    var previous: UInt8 = 0
    for byte in text {
      if byte == UInt8(ascii: "\r") {
        open[open.count - 1].text.append(UInt8(ascii: "\n"))
      } else if byte != UInt8(ascii: "\n") || previous != UInt8(ascii: "\r") {
        open[open.count - 1].text.append(byte)
      }
      previous = byte
    }
  }

  /// Reads a reference; the position is at its `&`.
  private mutating func reference() throws(XMLError) -> [UInt8] {
    let start = position
    // The longest that means anything: &#x10FFFF; with a few zeros in front.
    guard let end = bytes[start...].prefix(24).firstIndex(of: UInt8(ascii: ";")) else {
      throw failure("After & stands no reference.")
    }
    let name = String(decoding: bytes[start + 1..<end], as: UTF8.self)
    let result: [UInt8]
    switch name {
    case "lt": result = Array("<".utf8)
    case "gt": result = Array(">".utf8)
    case "amp": result = Array("&".utf8)
    case "quot": result = Array("\"".utf8)
    case "apos": result = Array("'".utf8)
    default:
      guard name.utf8.first == UInt8(ascii: "#") else { throw failure("A reference names an unknown entity.") }
      guard let scalar = Self.character(name.utf8.dropFirst()) else {
        throw failure("A reference does not name a character.")
      }
      guard isAllowed(scalar) else {
        throw failure("A reference names the character \(scalar.codePoint), which XML does not allow.")
      }
      result = Array(String(scalar).utf8)
    }
    position = end + 1
    return result
  }

  /// The character of `#10` or `#xA`, without the number sign.
  private static func character(_ digits: Substring.UTF8View) -> Unicode.Scalar? {
    let isHexadecimal = digits.first == UInt8(ascii: "x")
    let digits = isHexadecimal ? digits.dropFirst() : digits
    let radix: UInt32 = isHexadecimal ? 16 : 10
    guard !digits.isEmpty else { return nil }
    var value: UInt32 = 0
    for digit in digits {
      guard let number = Character(Unicode.Scalar(digit)).hexDigitValue.map({ UInt32($0) }), number < radix else {
        return nil
      }
      value = value * radix + number
      guard value <= 0x10FFFF else { return nil }
    }
    return Unicode.Scalar(value)
  }

  /// Reads a name.
  private mutating func name(_ message: String) throws(XMLError) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, isNameByte(bytes[position]) { position += 1 }
    let name = bytes[start..<position]
    guard let first = name.first, !isDigit(first), first != UInt8(ascii: "-"), first != UInt8(ascii: ".") else {
      position = start
      throw failure(message)
    }
    if !name.allSatisfy({ $0 < 0x80 }) {
      let scalars = String(decoding: name, as: UTF8.self).unicodeScalars
      guard scalars.allSatisfy(\.isXMLNameCharacter), scalars.first?.isXMLNameStart ?? false else {
        position = start
        throw failure(message)
      }
    }
    return name
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"),
      UInt8(ascii: "."), 0x80...0xFF:
      true
    default: false
    }
  }
}
