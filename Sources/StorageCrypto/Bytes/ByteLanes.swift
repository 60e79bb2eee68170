/// Sixteen bytes of a text side by side, so that a question is put to all of them at once.
///
/// The first byte is the first lane, on every machine. Behind the end of a text the lanes are zero.
@usableFromInline
package struct ByteLanes {
  @usableFromInline let bytes: SIMD16<UInt8>

  @inlinable @inline(__always)
  init(_ bytes: SIMD16<UInt8>) {
    self.bytes = bytes
  }

  /// Takes two numbers for lanes, the lowest byte of the first one for the first lane.
  @inlinable @inline(__always)
  init(_ low: UInt64, _ high: UInt64 = 0) {
    // Both are sixteen bytes, and any bytes are lanes.
    bytes = unsafe unsafeBitCast(SIMD2(low.littleEndian, high.littleEndian), to: SIMD16<UInt8>.self)
  }

  /// Reads the next sixteen bytes of a text, or as many as there are.
  @inlinable @inline(__always)
  package init(_ text: Span<UInt8>, from index: Int) {
    precondition(index >= 0, "The index is in front of the text.")
    if index &+ 16 <= text.count {
      // Within bounds: sixteen bytes are left. Any bytes are lanes, and may lie anywhere.
      self.init(unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self))
    } else {
      self.init(text.word(from: index), text.word(from: index &+ 8))
    }
  }

  /// Returns which bytes lie between two others, both included.
  @inlinable @inline(__always)
  package func lie(from first: UInt8, through last: UInt8) -> LaneSet {
    LaneSet((bytes &- SIMD16(repeating: first)) .<= SIMD16(repeating: last &- first))
  }

  /// Returns which bytes are one byte.
  @inlinable @inline(__always)
  package func equal(_ byte: UInt8) -> LaneSet { LaneSet(bytes .== SIMD16(repeating: byte)) }

  /// Returns which bytes are those of other lanes.
  @inlinable @inline(__always)
  package func equal(_ others: ByteLanes) -> LaneSet { LaneSet(bytes .== others.bytes) }

  /// Which bytes are ASCII letters.
  @inlinable @inline(__always)
  package var areLetters: LaneSet {
    let lowered = bytes | SIMD16(repeating: 0x20)
    return LaneSet(
      (lowered &- SIMD16(repeating: UInt8(ascii: "a"))) .<= SIMD16(repeating: UInt8(ascii: "z") &- UInt8(ascii: "a")))
  }

  /// Which bytes are ASCII digits.
  @inlinable @inline(__always)
  package var areDigits: LaneSet { lie(from: UInt8(ascii: "0"), through: UInt8(ascii: "9")) }

  /// Which bytes are unreserved characters (RFC 3986, section 2.3) or slashes.
  @inlinable @inline(__always)
  var areUnreservedOrSlashes: LaneSet {
    // From the hyphen to the nine there are `-`, `.`, `/` and the digits.
    areLetters.union(lie(from: UInt8(ascii: "-"), through: UInt8(ascii: "9"))).union(equal(UInt8(ascii: "_")))
      .union(equal(UInt8(ascii: "~")))
  }

  /// Returns which bytes an encoding keeps.
  @inlinable @inline(__always)
  func areKept(by encoding: PercentEncoding) -> LaneSet {
    encoding.keepsSlash
      ? areUnreservedOrSlashes : areUnreservedOrSlashes.subtracting(equal(UInt8(ascii: "/")))
  }

  /// The bytes with ASCII letters in lower case.
  @inlinable @inline(__always)
  package var lowercased: ByteLanes {
    let capitals = lie(from: UInt8(ascii: "A"), through: UInt8(ascii: "Z"))
    return ByteLanes(bytes.replacing(with: bytes | SIMD16(repeating: 0x20), where: capitals.mask))
  }
}

/// Some of the sixteen lanes.
@usableFromInline
package struct LaneSet {
  @usableFromInline let mask: SIMDMask<SIMD16<Int8>>

  @inlinable @inline(__always)
  init(_ mask: SIMDMask<SIMD16<Int8>>) {
    self.mask = mask
  }

  @inlinable @inline(__always)
  package func union(_ other: LaneSet) -> LaneSet { LaneSet(mask .| other.mask) }

  @inlinable @inline(__always)
  package func subtracting(_ other: LaneSet) -> LaneSet { LaneSet(mask .& .!other.mask) }

  /// The lanes that are not in the set.
  @inlinable @inline(__always)
  package var inverted: LaneSet { LaneSet(.!mask) }

  /// Two numbers of eight bytes, the first lane lowest, that are 255 for a lane in the set and zero for the others.
  @inlinable @inline(__always)
  var words: (low: UInt64, high: UInt64) {
    // A mask is sixteen bytes, each of which is zero or has all bits set.
    let words = unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  }

  /// The first lane in the set; 16 if it is empty.
  @inlinable @inline(__always)
  package var first: Int {
    let (low, high) = words
    return low != 0 ? low.firstLane : 8 &+ high.firstLane
  }

  /// Returns the first lane in the set and how many there are, of those in front of a lane.
  ///
  /// - Parameter end: The lane, from 0 to 16.
  @inlinable @inline(__always)
  package func lanes(before end: Int) -> (first: Int, count: Int) {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let (low, high) = (words.low.firstLanes(end), words.high.firstLanes(end &- 8))
    let count = (((low & ones) &+ (high & ones)) &* ones) &>> 56
    return (low != 0 ? low.firstLane : 8 &+ high.firstLane, Int(truncatingIfNeeded: count))
  }
}

extension UInt64 {
  /// The first of eight lanes that is not zero; 8 if all are.
  @inlinable @inline(__always)
  package var firstLane: Int { trailingZeroBitCount &>> 3 }

  /// Returns the first lanes of eight; the others are zero.
  @inlinable @inline(__always)
  package func firstLanes(_ count: Int) -> UInt64 {
    if count >= 8 { return self }
    return count > 0 ? self & ((1 &<< UInt64(8 &* count)) &- 1) : 0
  }
}

extension Span<UInt8> {
  /// Returns the next eight bytes as a number, the first one lowest; behind the end of the text the bytes are zero.
  @inlinable @inline(__always)
  package func word(from index: Int) -> UInt64 {
    precondition(index >= 0, "The index is in front of the text.")
    if index &+ 8 <= count { return unsafe uncheckedWord(at: index) }
    let left = count &- index
    guard left > 0 else { return 0 }
    // Within bounds: the word ends with the text, and what it has in front of the index is shifted out.
    if count >= 8 { return unsafe uncheckedWord(at: count &- 8) &>> UInt64(truncatingIfNeeded: 8 &* (8 &- left)) }
    var word: UInt64 = 0
    var position = count
    while position > index {
      position &-= 1
      // Within bounds: the position is below the count, and not below the index.
      word = word &<< 8 | UInt64(unsafe self[unchecked: position])
    }
    return word
  }

  /// Reads eight bytes that have to be there: any eight bytes are a number, and may lie anywhere.
  @unsafe
  @inlinable @inline(__always)
  func uncheckedWord(at index: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
  }

  /// Returns the index of the first byte from `start` on that is not in a run; the count if all are.
  ///
  /// - Parameters:
  ///   - start: Where to begin, 0 or more.
  ///   - run: Returns the lanes that are in the run.
  @inlinable @inline(__always)
  package func end(ofRunFrom start: Int, _ run: (ByteLanes) -> LaneSet) -> Int {
    var index = start
    while index < count {
      let stop = run(ByteLanes(self, from: index)).inverted.first
      index &+= stop
      if stop < 16 { break }
    }
    return Swift.min(index, count)
  }

  /// Returns the index of the first byte from `start` on that an encoding does not keep; the count if it keeps all.
  @inlinable @inline(__always)
  package func end(ofRunFrom start: Int, keptBy encoding: PercentEncoding) -> Int {
    end(ofRunFrom: start) { $0.areKept(by: encoding) }
  }

  /// Returns whether some byte is one that is looked for.
  @inlinable @inline(__always)
  package func contains(where isFound: (ByteLanes) -> LaneSet) -> Bool {
    end(ofRunFrom: 0) { isFound($0).inverted } < count
  }

  /// Returns whether some byte is one byte.
  @inlinable
  package func contains(_ byte: UInt8) -> Bool {
    contains { $0.equal(byte) }
  }

  /// Returns whether two runs of bytes are the same.
  @inlinable @inline(__always)
  package func isIdentical(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while index < count {
      if word(from: index) != other.word(from: index) { return false }
      index &+= 8
    }
    return true
  }

  /// Returns a negative number if the bytes stand before others in the order of bytes, and zero if they are the same.
  @inlinable
  package func compared(to other: Span<UInt8>) -> Int {
    let end = Swift.min(count, other.count)
    var index = 0
    while index < end {
      let (own, others) = (word(from: index).byteSwapped, other.word(from: index).byteSwapped)
      // A shorter text ends in zeros here, which may also be the other's own bytes: the lengths decide then.
      if own != others { return own < others ? -1 : 1 }
      index &+= 8
    }
    return count &- other.count
  }

  /// Returns whether the bytes start with a text.
  @inlinable @inline(__always)
  package func starts(with prefix: StaticString) -> Bool {
    let length = prefix.utf8CodeUnitCount
    guard length <= count else { return false }
    return prefix.withUTF8Buffer { prefix in
      let prefix = unsafe Span(_unsafeElements: prefix)
      if length < 8 { return (word(from: 0) ^ prefix.word(from: 0)).firstLanes(length) == 0 }
      return extracting(..<length).isIdentical(to: prefix)
    }
  }
}
