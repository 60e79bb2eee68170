/// One byte of percent-encoded text, decoded, and where the next one starts.
///
/// An escape that is cut off or not hexadecimal stands for itself; texts are checked before they get here.
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
  /// Appends percent-encoded text, decoded.
  package mutating func append(decoding text: Span<UInt8>, plusIsSpace: Bool) {
    var index = 0
    while index < text.count {
      let start = index
      index = text.end(ofRunFrom: start) { $0.equal(UInt8(ascii: "%")).union($0.equal(UInt8(ascii: "+"))).inverted }
      if index > start { append(text.extracting(start..<index)) }
      if index < text.count { append(decodedByte(text, at: &index, plusIsSpace: plusIsSpace)) }
    }
  }

  /// Appends percent-encoded text in the one canonical encoding: decoded, then encoded again.
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

/// The order in which percent-encoded texts are sorted.
package enum EncodedOrder: Sendable {
  /// By the decoded bytes.
  case decoded
  /// By the decoded bytes in lower case.
  case decodedLowered
  /// By the canonical encoding.
  case encoded
  /// By the canonical encoding in lower case.
  case encodedLowered
}

/// Returns how many of their first bytes two texts share that stand for themselves, or fewer: the last seven of a text are
/// not looked at.
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

/// Compares two percent-encoded texts: negative, zero or positive.
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
      // An escape starts with `%`, which sorts before every byte that is kept; two escapes sort as their bytes.
      let aKept = PercentEncoding.component.keeps(a)
      let bKept = PercentEncoding.component.keeps(b)
      if aKept != bKept { return aKept ? 1 : -1 }
    }
    return Int(a) - Int(b)
  }
  return (first.count - firstIndex).signum() - (second.count - secondIndex).signum()
}

/// Whether every `%` in a text starts an escape and every byte is one that may stand in a URL.
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
