// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// Sixteen bytes as SIMD lanes, so that a single operation tests all of them.
///
/// The first byte is the first lane on every platform. Lanes after the end of the loaded bytes are zero.
@usableFromInline package struct ByteLanes {
  @usableFromInline let bytes: SIMD16<UInt8>

  @inlinable @inline(__always) init(_ bytes: SIMD16<UInt8>) { self.bytes = bytes }

  /// Creates lanes from two integers, with the lowest byte of the first integer as the first lane.
  @inlinable @inline(__always) package init(_ low: UInt64, _ high: UInt64 = 0) {
    // Safe: both types have sixteen bytes, and every bit pattern is valid.
    bytes = unsafe unsafeBitCast(SIMD2(low.littleEndian, high.littleEndian), to: SIMD16<UInt8>.self)
  }

  /// Loads the next sixteen bytes, or all remaining bytes if there are fewer than sixteen.
  @inlinable @inline(__always) package init(_ text: Span<UInt8>, from index: Int) {
    precondition(index >= 0, "The index is in front of the text.")
    if index <= text.count &- 16 {
      // Within bounds: sixteen bytes are left. Every bit pattern is valid, and the load does not require alignment.
      self.init(unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self))
    } else {
      self.init(text.word(from: index), text.word(from: index &+ 8))
    }
  }

  @inlinable @inline(__always) package func lie(from first: UInt8, through last: UInt8) -> LaneSet {
    LaneSet((bytes &- SIMD16(repeating: first)) .<= SIMD16(repeating: last &- first))
  }

  @inlinable @inline(__always)
  package func equal(_ byte: UInt8) -> LaneSet { LaneSet(bytes .== SIMD16(repeating: byte)) }

  @inlinable @inline(__always) package func equal(_ others: ByteLanes) -> LaneSet { LaneSet(bytes .== others.bytes) }

  @inlinable @inline(__always) package var areLetters: LaneSet {
    ByteLanes(bytes | SIMD16(repeating: 0x20)).lie(from: UInt8(ascii: "a"), through: UInt8(ascii: "z"))
  }

  @inlinable @inline(__always)
  package var areDigits: LaneSet { lie(from: UInt8(ascii: "0"), through: UInt8(ascii: "9")) }

  /// The set of lanes that contain unreserved characters (RFC 3986, section 2.3) or slashes.
  @inlinable @inline(__always) var areUnreservedOrSlashes: LaneSet {
    // The range from the hyphen to `9` contains `-`, `.`, `/` and the digits.
    areLetters.union(lie(from: UInt8(ascii: "-"), through: UInt8(ascii: "9"))).union(equal(UInt8(ascii: "_")))
      .union(equal(UInt8(ascii: "~")))
  }

  @inlinable @inline(__always) func areKept(by encoding: PercentEncoding) -> LaneSet {
    encoding.keepsSlash ? areUnreservedOrSlashes : areUnreservedOrSlashes.subtracting(equal(UInt8(ascii: "/")))
  }

  /// Returns whether the first `count` of the sixteen bytes are unreserved characters, which no encoding escapes.
  @inlinable @inline(__always)
  package func areUnreserved(before count: Int) -> Bool { areKept(by: .component).inverted.first >= min(count, 16) }

  @inlinable @inline(__always) package var lowercased: ByteLanes {
    let capitals = lie(from: UInt8(ascii: "A"), through: UInt8(ascii: "Z"))
    return ByteLanes(bytes.replacing(with: bytes | SIMD16(repeating: 0x20), where: capitals.mask))
  }
}

/// A set of some of the sixteen lanes in ``ByteLanes``.
@usableFromInline package struct LaneSet {
  @usableFromInline let mask: SIMDMask<SIMD16<Int8>>

  @inlinable @inline(__always) init(_ mask: SIMDMask<SIMD16<Int8>>) { self.mask = mask }

  @inlinable @inline(__always) package func union(_ other: LaneSet) -> LaneSet { LaneSet(mask .| other.mask) }
  @inlinable @inline(__always) package func subtracting(_ other: LaneSet) -> LaneSet { LaneSet(mask .& .!other.mask) }
  @inlinable @inline(__always) package var inverted: LaneSet { LaneSet(.!mask) }
  @inlinable @inline(__always) func intersection(_ other: LaneSet) -> LaneSet { LaneSet(mask .& other.mask) }
  @inlinable @inline(__always) var isFull: Bool { words.low & words.high == .max }

  /// The lanes as two integers, the first lane lowest, in which a byte is 255 for a lane in the set, otherwise zero.
  @inlinable @inline(__always) var words: (low: UInt64, high: UInt64) {
    // Safe: a mask has sixteen bytes, each of which is zero or has all bits set.
    let words = unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  }

  /// The index of the first lane in the set, or 16 if the set is empty.
  @inlinable @inline(__always) package var first: Int {
    let (low, high) = words
    return low != 0 ? low.firstLane : 8 &+ high.firstLane
  }

  /// Returns the index of the first lane before `end`, from 0 to 16, and the number of the set's lanes before `end`.
  @inlinable @inline(__always) package func lanes(before end: Int) -> (first: Int, count: Int) {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let (low, high) = (words.low.firstLanes(end), words.high.firstLanes(end &- 8))
    let count = (((low & ones) &+ (high & ones)) &* ones) &>> 56
    return (low != 0 ? low.firstLane : 8 &+ high.firstLane, Int(truncatingIfNeeded: count))
  }
}

extension UInt64 {
  /// The index of the first of eight lanes that is not zero, or 8 if all lanes are zero.
  @inlinable @inline(__always) package var firstLane: Int { trailingZeroBitCount &>> 3 }

  /// Returns the first `count` of eight lanes, with the other lanes set to zero.
  @inlinable @inline(__always) package func firstLanes(_ count: Int) -> UInt64 {
    if count >= 8 { return self }
    return count > 0 ? self & ((1 &<< UInt64(8 &* count)) &- 1) : 0
  }
}

extension Span<UInt8> {
  /// Returns the next eight bytes as an integer with the first byte lowest; bytes after the end are zero.
  @inlinable @inline(__always) package func word(from index: Int) -> UInt64 {
    precondition(index >= 0, "The index is in front of the text.")
    if index <= count &- 8 { return unsafe uncheckedWord(at: index) }
    let remainingCount = count &- index
    guard remainingCount > 0 else { return 0 }
    // Within bounds: the word ends with the last byte, and its bytes before the index are shifted out.
    if count >= 8 {
      return unsafe uncheckedWord(at: count &- 8) &>> UInt64(truncatingIfNeeded: 8 &* (8 &- remainingCount))
    }
    var word: UInt64 = 0
    var position = count
    while position > index {
      position &-= 1
      // Within bounds: the position is below the count, and not below the index.
      word = word &<< 8 | UInt64(unsafe self[unchecked: position])
    }
    return word
  }

  /// Loads eight bytes at an index within bounds; every bit pattern is valid, and no alignment is required.
  @unsafe @inlinable @inline(__always) func uncheckedWord(at index: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
  }

  /// Returns the index of the first byte from `start` that is not in a run, or `count` if all bytes are in the run.
  @inlinable @inline(__always) package func end(ofRunFrom start: Int, _ run: (ByteLanes) -> LaneSet) -> Int {
    var index = start
    while index < count {
      let firstOutside = run(ByteLanes(self, from: index)).inverted.first
      index &+= firstOutside
      if firstOutside < 16 { break }
    }
    return Swift.min(index, count)
  }

  /// Returns the index of the first occurrence of a byte from `start` on, or `count` if there is none.
  @inlinable @inline(__always) package func end(ofRunFrom start: Int, without byte: UInt8) -> Int {
    end(ofRunFrom: start) { $0.equal(byte).inverted }
  }

  /// Returns the index of the first byte, from `start` on, that an encoding escapes, or `count` if it escapes no byte.
  @inlinable @inline(__always) package func end(ofRunFrom start: Int, keptBy encoding: PercentEncoding) -> Int {
    end(ofRunFrom: start) { $0.areKept(by: encoding) }
  }

  /// Returns whether all bytes are in a run, with one test for four groups of lanes.
  @inlinable @inline(__always) package func consists(of run: (ByteLanes) -> LaneSet) -> Bool {
    var index = 0
    while index &+ 64 <= count {
      let first = run(ByteLanes(self, from: index)).intersection(run(ByteLanes(self, from: index &+ 16)))
      let second = run(ByteLanes(self, from: index &+ 32)).intersection(run(ByteLanes(self, from: index &+ 48)))
      guard first.intersection(second).isFull else { return false }
      index &+= 64
    }
    return end(ofRunFrom: index, run) == count
  }

  /// Returns whether any byte is in the set of lanes that a closure returns.
  @inlinable @inline(__always) package func contains(where isFound: (ByteLanes) -> LaneSet) -> Bool {
    end(ofRunFrom: 0) { isFound($0).inverted } < count
  }

  @inlinable package func contains(_ byte: UInt8) -> Bool { contains { $0.equal(byte) } }

  @inlinable @inline(__always) package func isIdentical(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while index < count {
      if word(from: index) != other.word(from: index) { return false }
      index &+= 8
    }
    return true
  }

  /// Compares lexicographically: negative if this sequence sorts first, and zero if the sequences are equal.
  @inlinable package func compared(to other: Span<UInt8>) -> Int {
    let end = Swift.min(count, other.count)
    var index = 0
    while index < end {
      let (ownWord, otherWord) = (word(from: index).byteSwapped, other.word(from: index).byteSwapped)
      // A shorter sequence ends in zeros here, which the other one may really contain: the lengths decide then.
      if ownWord != otherWord { return ownWord < otherWord ? -1 : 1 }
      index &+= 8
    }
    return count &- other.count
  }

  @inlinable @inline(__always) package func starts(with prefix: StaticString) -> Bool {
    let length = prefix.utf8CodeUnitCount
    guard length <= count else { return false }
    return prefix.withUTF8Buffer { prefix in
      let prefix = unsafe Span(_unsafeElements: prefix)
      if length < 8 { return (word(from: 0) ^ prefix.word(from: 0)).firstLanes(length) == 0 }
      return extracting(..<length).isIdentical(to: prefix)
    }
  }
}
