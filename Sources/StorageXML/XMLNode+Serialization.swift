extension XMLNode {
  /// The first line of a document in UTF-8.
  package static let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#

  /// The element as a document in UTF-8, without blanks between the elements.
  ///
  /// - Parameter declaration: The first line; nothing leaves it out.
  /// - Returns: The document.
  package func serialized(declaration: String? = XMLNode.declaration) -> [UInt8] {
    var bytes: [UInt8] = []
    if let declaration {
      bytes += declaration.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "<"))
    bytes += name.utf8
    bytes.append(UInt8(ascii: ">"))
    if children.isEmpty {
      for scalar in text.unicodeScalars { Self.write(scalar, to: &bytes) }
    } else {
      for child in children { child.write(to: &bytes) }
    }
    bytes += "</".utf8
    bytes += name.utf8
    bytes.append(UInt8(ascii: ">"))
  }

  /// Writes a character so that it is read back as it was: a bare carriage return would become a line feed.
  ///
  /// XML has no way to write the other control characters; as references they make a parser refuse the document, which
  /// is better than a name that is silently another one. Callers that expect them ask the service to encode names.
  private static func write(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "&": bytes += "&amp;".utf8
    case "<": bytes += "&lt;".utf8
    case ">": bytes += "&gt;".utf8
    case "\n", "\t": bytes += String(scalar).utf8
    case "\u{0}"..<" ": bytes += "&#\(scalar.value);".utf8
    default: bytes += UTF8.encode(scalar).map { Array($0) } ?? []
    }
  }
}
