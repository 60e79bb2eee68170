// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A pattern for the paths of a synchronization, such as `*.jpg` or `2026/**`.
///
/// `?` stands for one character except for a slash, `*` for any number of such characters, and `**` for any number of
/// characters with slashes. A character is a Unicode scalar: `?` matches `\u{E9}`, but not the two scalars `e\u{301}`.
///
/// A pattern without a slash is compared with the last component of a path, another pattern with the whole path. A
/// slash at the start anchors the pattern at the root: `/cat.jpg` does not match `2026/cat.jpg`. Each other slash must
/// be in the path: `**/cat.jpg` does not match `cat.jpg`, but the pattern `cat.jpg` does. A pattern that ends with a
/// slash matches everything in the folders that it describes.
public struct PathPattern: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text of the pattern.
  public let text: String

  private enum Element: Hashable { case scalar(Unicode.Scalar), questionMark, star, doubleStar }

  private let elements: [Element]
  private let comparesWholePath: Bool

  /// Creates a pattern from its text.
  public init(_ text: String) {
    self.text = text
    let unanchored = text.removingBytePrefix("/") ?? text[...]
    comparesWholePath = text.hasByte("/")
    var elements: [Element] = []
    for scalar in (unanchored.hasByteSuffix("/") ? unanchored + "**" : unanchored).unicodeScalars {
      switch (scalar, elements.last) {
      case ("*", .star): elements[elements.count - 1] = .doubleStar
      case ("*", .doubleStar): break
      case ("*", _): elements.append(.star)
      case ("?", _): elements.append(.questionMark)
      default: elements.append(.scalar(scalar))
      }
    }
    self.elements = elements
  }

  /// Creates a pattern from a literal with its text.
  public init(stringLiteral value: String) { self.init(value) }

  /// Returns whether the pattern matches a path, in time proportional to the product of their lengths.
  ///
  /// - Parameter path: A path with slashes. Each byte of a file name that is not UTF-8 is replaced with U+FFFD.
  public func matches(_ path: String) -> Bool {
    let subject = comparesWholePath ? path[...] : path.words(between: "/").last ?? ""
    // For each position in the pattern, whether the elements before it match the scalars that were read so far.
    var reached = [Bool](repeating: false, count: elements.count + 1)
    reached[0] = true
    passEmptyWildcards(&reached)
    for scalar in subject.unicodeScalars {
      var next = [Bool](repeating: false, count: elements.count + 1)
      for (index, element) in elements.enumerated() where reached[index] {
        switch element {
        case .scalar(let expected): if scalar == expected { next[index + 1] = true }
        case .questionMark: if scalar != "/" { next[index + 1] = true }
        case .star: if scalar != "/" { next[index] = true }
        case .doubleStar: next[index] = true
        }
      }
      passEmptyWildcards(&next)
      reached = next
    }
    return reached[elements.count]
  }

  /// Marks the positions after reached wildcards, which can stand for no character.
  private func passEmptyWildcards(_ reached: inout [Bool]) {
    for (index, element) in elements.enumerated() where reached[index] {
      if element == .star || element == .doubleStar { reached[index + 1] = true }
    }
  }
}
