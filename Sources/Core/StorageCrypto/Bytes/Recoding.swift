// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// Decodes the next byte of a percent-encoded string, and moves the index past it.
///
/// A truncated escape, or an escape that is not hexadecimal, is not decoded; callers validate strings before they
/// decode them.
@inline(__always)
private func decodedByte(_ text: Span<UInt8>, at index: inout Int, plusIsSpace: Bool) -> UInt8 {
  let byte = text[index]
  if byte == UInt8(ascii: "%"), index + 2 < text.count, let high = hexValue(text[index + 1]),
    let low = hexValue(text[index + 2])
  {
    index += 3
    return high << 4 | low
  }
  index += 1
  return plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
}

extension ByteWriter {
  /// Appends a percent-encoded string in its decoded form.
  package mutating func append(decoding text: Span<UInt8>, plusIsSpace: Bool) {
    var index = 0
    while index < text.count {
      let start = index
      index = text.end(ofRunFrom: start) { $0.equal(UInt8(ascii: "%")).union($0.equal(UInt8(ascii: "+"))).inverted }
      if index > start { append(text.extracting(start..<index)) }
      if index < text.count { append(decodedByte(text, at: &index, plusIsSpace: plusIsSpace)) }
    }
  }

  /// Appends a percent-encoded string in its canonical encoding, by decoding and encoding it again.
  package mutating func append(
    normalizing text: Span<UInt8>, plusIsSpace: Bool, _ encoding: PercentEncoding = .component,
    _ textCase: EncodedCase = .asWritten
  ) {
    var index = 0
    while index < text.count {
      if textCase == .asWritten {
        let start = index
        index = text.end(ofRunFrom: start, keptBy: encoding)
        if index > start { append(text.extracting(start..<index)) }
        if index == text.count { break }
      }
      append(percentEncoding: decodedByte(text, at: &index, plusIsSpace: plusIsSpace), encoding, textCase)
    }
  }
}

/// The sort order for percent-encoded strings.
package enum EncodedOrder: Sendable {
  /// The order by the decoded bytes.
  case decoded
  /// The order by the decoded bytes in lowercase.
  case decodedLowered
  /// The order by the canonical encoding.
  case encoded
  /// The order by the canonical encoding in lowercase.
  case encodedLowered
}

/// Returns the number of unescaped leading bytes that two strings have in common, or a smaller number.
///
/// The function does not compare up to seven bytes at the end of the shorter string.
@inline(__always)
private func commonStart(of first: Span<UInt8>, _ second: Span<UInt8>) -> Int {
  let end = min(first.count, second.count)
  var index = 0
  while index &+ 8 <= end {
    let word = first.word(from: index)
    let differences = word ^ second.word(from: index)
    let shared = min(differences.firstLane, ByteLanes(word).equal(UInt8(ascii: "%")).first)
    if shared < 8 { return index &+ shared }
    index &+= 8
  }
  return index
}

/// Compares two percent-encoded strings, and returns a negative integer, zero or a positive integer as `strcmp` does.
package func compare(
  _ first: Span<UInt8>, _ second: Span<UInt8>, by order: EncodedOrder, plusIsSpace: Bool
) -> Int {
  let start = commonStart(of: first, second)
  var firstIndex = start
  var secondIndex = start
  while firstIndex < first.count, secondIndex < second.count {
    let byte = first[firstIndex]
    if byte == second[secondIndex], byte != UInt8(ascii: "%") {
      firstIndex &+= 1
      secondIndex &+= 1
      continue
    }
    var a = decodedByte(first, at: &firstIndex, plusIsSpace: plusIsSpace)
    var b = decodedByte(second, at: &secondIndex, plusIsSpace: plusIsSpace)
    if order == .encodedLowered || order == .decodedLowered {
      a = asciiLowercased(a)
      b = asciiLowercased(b)
    }
    if a == b { continue }
    if order == .encoded || order == .encodedLowered {
      // An escape starts with `%`, which sorts before every byte that is not escaped. Two escapes sort by the bytes
      // that they represent.
      let aKept = PercentEncoding.component.keeps(a)
      let bKept = PercentEncoding.component.keeps(b)
      if aKept != bKept { return aKept ? 1 : -1 }
    }
    return Int(a) - Int(b)
  }
  return (first.count - firstIndex).signum() - (second.count - secondIndex).signum()
}

/// Returns whether every `%` in a string starts an escape, and every byte is valid in a URL.
package func isWellFormedURLText(_ text: Span<UInt8>) -> Bool {
  var index = 0
  while index < text.count {
    let byte = text[index]
    if byte <= UInt8(ascii: " ") || byte >= 0x7f || byte == UInt8(ascii: "#") { return false }
    if byte == UInt8(ascii: "%") {
      guard index + 2 < text.count, hexValue(text[index + 1]) != nil, hexValue(text[index + 2]) != nil else {
        return false
      }
      index += 2
    }
    index += 1
  }
  return true
}
