// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A PEM block in a text (RFC 7468), which may have the headers that RFC 1421 defines.
package struct PEMBlock {
  /// The label of the block, such as `RSA PRIVATE KEY`.
  package let label: String
  package let headers: [String: String]
  /// The decoded contents, or `nil` if they are not Base64 or the last line of the block is missing.
  package let contents: [UInt8]?
  /// Whether the block starts at the first byte of the text.
  package let isFirst: Bool

  package var isPKCS8: Bool { label == "PRIVATE KEY" || label == "ENCRYPTED PRIVATE KEY" }

  /// Returns the blocks of a text in their order; a block without its last line has no contents.
  package static func blocks(in text: [UInt8]) -> [PEMBlock] {
    var blocks: [PEMBlock] = []
    var openBlock: (label: String, headers: [String: String], base64: String, isFirst: Bool)?
    func appendUnfinishedBlock() {
      guard let block = openBlock else { return }
      blocks.append(PEMBlock(label: block.label, headers: [:], contents: nil, isFirst: block.isFirst))
    }
    for (index, bytes) in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).enumerated() {
      let line = String(decoding: bytes, as: UTF8.self)
      if let label = line.boundaryLabel("BEGIN") {
        appendUnfinishedBlock()
        openBlock = (label, [:], "", index == 0 && bytes.startIndex == text.startIndex)
      } else if let label = line.boundaryLabel("END") {
        guard let block = openBlock, block.label == label else { continue }
        blocks.append(
          PEMBlock(
            label: label, headers: block.headers, contents: [UInt8](base64: block.base64), isFirst: block.isFirst))
        openBlock = nil
      } else if let colon = line.firstIndex(of: ":") {
        openBlock?.headers[String(line[..<colon])] = String(
          line[line.utf8.index(after: colon)...].drop(while: \.isWhitespace))
      } else {
        openBlock?.base64 += line.filter { !$0.isWhitespace }
      }
    }
    appendUnfinishedBlock()
    return blocks
  }

  /// The name of the cipher that encrypts the contents of the block, or `nil` if the contents are not encrypted.
  package var cipher: String? {
    if label == "ENCRYPTED PRIVATE KEY" {
      return contents.flatMap { PKCS8Encryption(der: $0) }?.cipher ?? Self.unknownCipher
    }
    guard headers["Proc-Type"]?.hasSuffix("ENCRYPTED") == true else { return nil }
    return headers["DEK-Info"].map { String($0.prefix { $0 != "," }) } ?? Self.unknownCipher
  }

  private static let unknownCipher = "an unknown cipher"
}

extension PEMBlock: CustomStringConvertible, CustomReflectable {
  package var description: String { "PEMBlock(\(label))" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension String {
  /// Returns the label in a line that begins or ends a block (`BEGIN` or `END`), or `nil` for any other line.
  ///
  /// A line with more than one boundary, such as a whole block without line breaks, has no label.
  fileprivate func boundaryLabel(_ word: String) -> String? {
    var line = self[...]
    while line.last?.isWhitespace == true { line.removeLast() }
    let (prefix, suffix) = ("-----\(word) ", "-----")
    guard line.hasPrefix(prefix), line.hasSuffix(suffix), line.count > prefix.count + suffix.count else { return nil }
    let label = line.dropFirst(prefix.count).dropLast(suffix.count)
    return label.contains(suffix) ? nil : String(label)
  }
}

extension ByteWriter {
  /// Appends a block with the given label, whose contents are in lines of 64 Base64 characters.
  mutating func append(pemBlock label: StaticString, _ contents: [UInt8]) {
    append("-----BEGIN " as StaticString)
    append(label)
    append("-----\n" as StaticString)
    let lineByteCount = 64 / 4 * 3  // Four characters encode three bytes.
    for start in stride(from: 0, to: contents.count, by: lineByteCount) {
      append(base64: contents[start..<min(start + lineByteCount, contents.count)].span)
      append(UInt8(ascii: "\n"))
    }
    append("-----END " as StaticString)
    append(label)
    append("-----\n" as StaticString)
  }
}

extension [UInt8] {
  /// The byte order mark of UTF-8, which editors on Windows write at the start of a text.
  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  package var hasByteOrderMark: Bool { starts(with: Self.byteOrderMark) }
  package var withoutByteOrderMark: [UInt8] { hasByteOrderMark ? Array(dropFirst(Self.byteOrderMark.count)) : self }
}
