// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A random number generator (SplitMix64) whose numbers depend only on its seed.
///
/// What is made from shuffled lists depends on Swift's shuffle, too, which another version of Swift can change.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  package mutating func pick<Element>(_ list: [Element]) -> Element { list[Int(next() % UInt64(list.count))] }

  /// Returns `true` in one of the given number of calls on average.
  package mutating func once(in callCount: UInt64) -> Bool { next() % callCount == 0 }

  static let idCharacters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789").map(String.init)
  static let tokenCharacters = idCharacters + ["+", "/", "=", "%", "~", "*", "&", "?", "-", "%2F"]
  /// The fragments of object keys that some implementations have signed incorrectly before.
  private static let keyPieces = [
    "//", "..", ".", "/../", "/./", "%2F", "%252F", "%", "+", " ", "?", "#", "&", "=", ";", ":", "@", "*", "'", "(",
    ")", "~", "!", "\"", "\\", "\u{1}", "\n", "\t", "\u{7f}", "é", "e\u{301}", "中文", "🚀", "İ", "/", "acl", "a", "B",
    "9", "-", "_",
  ]

  mutating func makeText(length: Int, of characters: [String]) -> String {
    (0..<length).map { _ in pick(characters) }.joined()
  }

  mutating func makeObjectKey() -> String { makeText(length: 1 + Int(next() % 12), of: Self.keyPieces) }

  /// Makes up to three of the named parameters, some of which have no value or an empty one.
  mutating func makeParameters(named names: [String]) -> [RequestTarget.Parameter] {
    let count = Int(next() % 4)
    return names.shuffled(using: &self).prefix(count).map { name in
      if once(in: 4) { return RequestTarget.Parameter(name: name, value: nil) }
      let value = once(in: 5) ? "" : makeText(length: Int(next() % 6), of: Self.keyPieces)
      return RequestTarget.Parameter(name: name, value: value)
    }
  }

  /// Makes up to five of the named headers, half of them with an uppercase name.
  mutating func makeHeaders(named names: [String]) -> HTTPFields {
    let values = [
      "a", "a b", "a  b", "A;b=\"c\"", "", "1=2&3", "é", "%2F", "+", "/bucket/key", "text/plain; charset=utf-8", ",",
      ":",
    ]
    let count = Int(next() % 6)
    var fields = HTTPFields()
    for name in names.shuffled(using: &self).prefix(count) {
      let value = pick(values)
      guard let fieldName = HTTPField.Name(once(in: 2) ? name : name.uppercased()) else { continue }
      // OSS V1 signs a request with an empty `Content-Type` like a request without `Content-Type`.
      let isUnclear = value.isEmpty && !name.hasPrefix("x-")
      fields.append(HTTPField(name: fieldName, value: isUnclear ? "z" : value))
    }
    return fields
  }
}
