// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A pattern in which `*` matches any sequence of characters, including the empty sequence, and `?` any single
/// character.
struct WildcardPattern: Sendable, Hashable {
  private let scalars: [Unicode.Scalar]

  init(_ text: some StringProtocol) {
    scalars = Array(text.unicodeScalars)
  }

  /// Returns whether the pattern matches a whole string.
  ///
  /// The match backtracks only to the last asterisk, which limits the number of steps to the product of both lengths.
  func matches(_ text: some StringProtocol) -> Bool {
    let text = Array(text.unicodeScalars)
    var (inPattern, inText) = (0, 0)
    var lastStar: (inPattern: Int, inText: Int)?
    while inText < text.count {
      if inPattern < scalars.count, scalars[inPattern] == "*" {
        lastStar = (inPattern, inText)
        inPattern += 1
      } else if inPattern < scalars.count, scalars[inPattern] == "?" || scalars[inPattern] == text[inText] {
        inPattern += 1
        inText += 1
      } else if let star = lastStar {
        lastStar = (star.inPattern, star.inText + 1)
        (inPattern, inText) = (star.inPattern + 1, star.inText + 1)
      } else {
        return false
      }
    }
    return scalars[inPattern...].allSatisfy { $0 == "*" }
  }
}
