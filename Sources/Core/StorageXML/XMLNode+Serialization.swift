// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension XMLNode {
  /// The XML declaration for a document in UTF-8.
  package static let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#

  /// Serializes the element as an XML document in UTF-8, without white space between elements.
  ///
  /// - Parameter declaration: The XML declaration, or `nil` to omit the declaration.
  /// - Returns: The XML document in UTF-8.
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
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      bytes += " \(name)=\"".utf8
      for scalar in value.unicodeScalars { Self.write(scalar, to: &bytes) }
      bytes.append(UInt8(ascii: "\""))
    }
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

  /// Appends a character in a form from which a parser recreates the same character.
  ///
  /// A bare carriage return, for example, would become a line feed. XML cannot represent the other control characters.
  /// They are written as references, with which a parser rejects the document. That is better than a name that silently
  /// changes. Callers that expect control characters request encoded names from the service.
  private static func write(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "&": bytes += "&amp;".utf8
    case "<": bytes += "&lt;".utf8
    case ">": bytes += "&gt;".utf8
    case "\"": bytes += "&quot;".utf8
    case "\n", "\t": bytes += String(scalar).utf8
    case "\u{0}"..<" ": bytes += "&#\(scalar.value);".utf8
    default: bytes += UTF8.encode(scalar).map { Array($0) } ?? []
    }
  }
}
