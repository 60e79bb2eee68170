// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A pattern for the paths of a synchronization, such as `*.jpg` or `2026/**`.
///
/// `*` stands for any characters except for a slash, `?` for one of them, and `**` for any characters. A pattern without
/// a slash is compared with the last component of a path, another pattern with the whole path; a slash at its start is
/// ignored. A pattern that ends with a slash matches everything in the folders that it describes.
public struct PathPattern: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text of the pattern.
  public let text: String

  private enum Element: Hashable {
    case byte(UInt8), anyByte, anyBytes, anything
  }

  private let elements: [Element]
  private let comparesPath: Bool

  /// Creates a pattern.
  ///
  /// - Parameter text: The text of the pattern.
  public init(_ text: String) {
    self.text = text
    let body = text.removingBytePrefix("/") ?? text[...]
    comparesPath = text.hasByte("/")
    var elements: [Element] = []
    for byte in (body.hasByteSuffix("/") ? body + "**" : body).utf8 {
      switch (byte, elements.last) {
      case (UInt8(ascii: "*"), .anyBytes): elements[elements.count - 1] = .anything
      case (UInt8(ascii: "*"), .anything): break
      case (UInt8(ascii: "*"), _): elements.append(.anyBytes)
      case (UInt8(ascii: "?"), _): elements.append(.anyByte)
      default: elements.append(.byte(byte))
      }
    }
    self.elements = elements
  }

  /// Creates a pattern from a literal.
  ///
  /// - Parameter value: The text of the pattern.
  public init(stringLiteral value: String) { self.init(value) }

  /// Returns whether the pattern matches a path.
  ///
  /// The work is proportional to the length of the path times the length of the pattern.
  ///
  /// - Parameter path: A path with slashes.
  public func matches(_ path: String) -> Bool {
    let subject = comparesPath ? path[...] : path.words(between: "/").last ?? ""
    // The positions in the pattern that the bytes read so far can lead to.
    var reached = [Bool](repeating: false, count: elements.count + 1)
    reached[0] = true
    skipEmpty(&reached)
    for byte in subject.utf8 {
      var next = [Bool](repeating: false, count: elements.count + 1)
      for (index, element) in elements.enumerated() where reached[index] {
        switch element {
        case .byte(let expected): if byte == expected { next[index + 1] = true }
        case .anyByte: if byte != UInt8(ascii: "/") { next[index + 1] = true }
        case .anyBytes: if byte != UInt8(ascii: "/") { next[index] = true }
        case .anything: next[index] = true
        }
      }
      skipEmpty(&next)
      reached = next
    }
    return reached[elements.count]
  }

  /// Adds the positions behind elements that stand for no character.
  private func skipEmpty(_ reached: inout [Bool]) {
    for (index, element) in elements.enumerated() where reached[index] {
      if element == .anyBytes || element == .anything { reached[index + 1] = true }
    }
  }
}
