import StorageAuthTesting

/// Makes inputs: random bytes, and good inputs with something wrong in them.
struct Mutator: Sendable {
  /// The longest input that is made.
  static let longest = 8_192

  /// Good inputs, and bad ones worth keeping.
  let samples: [[UInt8]]

  /// Pieces that mean something in the format.
  let pieces: [[UInt8]]

  /// One sample in so many is given as it is; none if it is 0.
  let keeps: UInt64

  init(samples: [[UInt8]], pieces: [String], keeps: UInt64 = 0) {
    self.samples = samples
    self.keeps = keeps
    self.pieces = pieces.map { Array($0.utf8) }
  }

  /// An input.
  func input(_ random: inout SeededGenerator) -> [UInt8] {
    switch random.below(16) {
    case 0: return (0..<random.below(96)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case 1: return (0..<random.below(12)).flatMap { _ in random.pick(pieces) }
    default:
      var bytes = random.pick(samples)
      if keeps > 0, random.once(in: keeps) { return bytes }
      for _ in 0...random.below(random.below(5)) { mutate(&bytes, &random) }
      return Array(bytes.prefix(Self.longest))
    }
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = random.below(bytes.count + 1)
    let end = min(bytes.count, place + random.below(16) + 1)
    switch random.below(10) {
    case 0: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
    case 1: bytes.insert(contentsOf: random.pick(pieces), at: place)
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.removeSubrange(place...)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count + 1))
    case 5: bytes.replaceSubrange(place..<end, with: random.pick(pieces))
    case 6:
      let other = random.pick(samples)
      bytes.replaceSubrange(place..., with: other[min(other.count, place)...])
    case 7: for index in place..<end { bytes[index] = [0, 0xff, 0x80, 0x7f][random.below(4)] }
    case 8: for index in place..<end { bytes[index] ^= UInt8(truncatingIfNeeded: random.next()) }
    default: if place < bytes.count { bytes[place] ^= 1 << UInt8(random.below(8)) }
    }
  }
}

extension SeededGenerator {
  /// A number from 0 up to, and without, a bound; 0 for a bound of 0.
  mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }
}
