/// A sink for bytes that are hashed, or collected, as they are written.
///
/// The bytes are staged in a block on the stack and handed on when the block is full, so writing a canonical request
/// allocates nothing. A writer exists only inside the closure that it is passed to. What is collected into an array may
/// be a key, so the block is wiped then; a string cannot be wiped anyway.
@safe
@usableFromInline
package struct ByteWriter: ~Copyable {
  /// The destination of full blocks.
  @unsafe
  enum Drain {
    case sha1(UnsafeMutablePointer<SHA1>)
    case sha256(UnsafeMutablePointer<SHA256>)
    case sha512(UnsafeMutablePointer<SHA512>)
    case md5(UnsafeMutablePointer<MD5>)
    case array(UnsafeMutablePointer<[UInt8]>)
  }

  /// The size of the block, small enough that it always lies on the stack.
  @usableFromInline static var blockByteCount: Int { 1024 }

  // The block of `with`, which outlives the writer and is written below `blockByteCount` alone.
  @usableFromInline let block: UnsafeMutableBufferPointer<UInt8>
  private let drain: Drain

  /// How much of the block is in use; never above `blockByteCount`.
  @usableFromInline var count = 0

  /// How much of the block was ever used, up to the last time that it was full.
  private var highWater = 0

  private init(block: UnsafeMutableBufferPointer<UInt8>, drain: Drain) {
    unsafe self.block = block
    unsafe self.drain = drain
  }

  /// Runs `body` with a writer, then `end` with what is still staged.
  static func with<Result>(
    _ drain: Drain, wipes: Bool = false, _ body: (inout ByteWriter) -> Void, end: (Span<UInt8>) -> Result
  ) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: blockByteCount) { block in
      var writer = unsafe ByteWriter(block: block, drain: drain)
      body(&writer)
      let result = unsafe end(Span(_unsafeElements: writer.staged))
      if wipes {
        let used = unsafe UnsafeMutableBufferPointer(rebasing: block[..<max(writer.count, writer.highWater)])
        unsafe wipe(UnsafeMutableRawBufferPointer(used))
      }
      return result
    }
  }

  @unsafe
  private var staged: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(rebasing: block[..<count])
  }

  /// Hands the block on and empties it.
  @usableFromInline
  mutating func flush() {
    switch unsafe drain {
    case .sha1(let hash): unsafe hash.pointee.update(Span(_unsafeElements: staged))
    case .sha256(let hash): unsafe hash.pointee.update(Span(_unsafeElements: staged))
    case .sha512(let hash): unsafe hash.pointee.update(Span(_unsafeElements: staged))
    case .md5(let hash): unsafe hash.pointee.update(Span(_unsafeElements: staged))
    case .array(let array): unsafe array.pointee.append(wipingOutgrown: staged)
    }
    highWater = max(highWater, count)
    count = 0
  }

  /// Makes room for a few bytes, which are written with ``put(_:at:)`` then.
  ///
  /// - Parameter byteCount: The number of bytes, 256 at most.
  /// - Returns: Where the first one goes.
  @inlinable @inline(__always)
  package mutating func reserve(_ byteCount: Int) -> Int {
    precondition(byteCount <= 256, "There is room for 256 bytes.")
    if count > Self.blockByteCount &- 256 { flush() }
    let start = count
    count = start &+ byteCount
    return start
  }

  /// Writes a byte where room was reserved for it; unsafe anywhere else, since the index is not checked.
  @unsafe
  @inlinable @inline(__always)
  package mutating func put(_ byte: UInt8, at index: Int) {
    assert(index < count)
    unsafe block[index] = byte
  }

  /// Appends the lowest lanes of a number, eight at most.
  @inlinable @inline(__always)
  package mutating func append(lanes: UInt64, count laneCount: Int = 8) {
    precondition(laneCount >= 0 && laneCount <= 8, "A number has eight lanes.")
    let start = reserve(8)
    // Within what is reserved: eight bytes, of which those that are not wanted are given back.
    unsafe UnsafeMutableRawBufferPointer(block).storeBytes(of: lanes.littleEndian, toByteOffset: start, as: UInt64.self)
    giveBack(from: start &+ laneCount)
  }

  /// Appends the first of sixteen lanes.
  @inlinable @inline(__always)
  package mutating func append(_ lanes: ByteLanes, count laneCount: Int) {
    precondition(laneCount >= 0 && laneCount <= 16, "There are sixteen lanes.")
    let start = reserve(16)
    // Within what is reserved: sixteen bytes, of which those that are not wanted are given back.
    unsafe UnsafeMutableRawBufferPointer(block).storeBytes(
      of: lanes.bytes, toByteOffset: start, as: SIMD16<UInt8>.self)
    giveBack(from: start &+ laneCount)
  }

  /// Gives back room that was reserved last and not written.
  @inlinable @inline(__always)
  mutating func giveBack(from index: Int) {
    precondition(index >= 0 && index <= count, "The index is outside of what was reserved.")
    count = index
  }

  /// Appends one byte.
  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    if count == Self.blockByteCount { flush() }
    unsafe block[count] = byte
    count &+= 1
  }

  /// Appends bytes as they are.
  @inlinable @inline(__always)
  package mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(buffer: $0) }
  }

  @inlinable @inline(__always)
  mutating func append(buffer: UnsafeBufferPointer<UInt8>) {
    // An empty buffer may have no address, and has no bytes to append; the block always has one.
    guard let source = buffer.baseAddress, let start = unsafe block.baseAddress else { return }
    guard buffer.count <= Self.blockByteCount &- count else { return unsafe append(long: buffer) }
    unsafe (start + count).initialize(from: source, count: buffer.count)
    count &+= buffer.count
  }

  /// Appends what does not fit into the block, in pieces that do.
  @usableFromInline
  mutating func append(long buffer: UnsafeBufferPointer<UInt8>) {
    var rest = unsafe buffer[...]
    while unsafe !rest.isEmpty {
      if count == Self.blockByteCount { flush() }
      let piece = unsafe UnsafeBufferPointer(rebasing: rest.prefix(Self.blockByteCount - count))
      unsafe append(buffer: piece)
      unsafe rest = rest.dropFirst(piece.count)
    }
  }

  /// Appends the UTF-8 bytes of a string.
  @inlinable @inline(__always)
  package mutating func append(_ string: String) {
    withBytes(of: string) { append($0) }
  }

  /// Appends text that is known at compile time.
  @inlinable @inline(__always)
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(buffer: $0) }
  }

  /// Appends a digest as it is.
  package mutating func append(_ digest: Digest) {
    digest.withBytes { append($0) }
  }
}

/// Runs `body` over the UTF-8 bytes of a string, without a copy where the string holds them contiguously.
@inlinable @inline(__always)
package func withBytes<Result, Failure: Error>(
  of string: String, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
  let outcome = unsafe string.utf8.withContiguousStorageIfAvailable { buffer -> Swift.Result<Result, Failure> in
    do throws(Failure) {
      return .success(try body(unsafe Span(_unsafeElements: buffer)))
    } catch {
      return .failure(error)
    }
  }
  if let outcome { return try outcome.get() }
  return try withCopiedBytes(of: string, body)
}

/// Runs `body` over a copy of the bytes of a string that does not hold them contiguously: one that Objective-C made.
@usableFromInline
func withCopiedBytes<Result, Failure: Error>(
  of string: String, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
  try body(Array(string.utf8).span)
}

extension String {
  /// Makes a string of what `body` writes; it has to be UTF-8.
  package init(writing body: (inout ByteWriter) -> Void) {
    self = unsafe withWrittenBytes(body) { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension [UInt8] {
  /// Makes an array of what `body` writes.
  @usableFromInline
  package init(writing body: (inout ByteWriter) -> Void) {
    self = []
    unsafe withUnsafeMutablePointer(to: &self) { array in
      unsafe ByteWriter.with(.array(array), wipes: true, body) { rest in
        unsafe rest.withUnsafeBufferPointer { unsafe array.pointee.append(wipingOutgrown: $0) }
      }
    }
  }

  /// Appends bytes; memory that becomes too small is wiped before it is given back.
  fileprivate mutating func append(wipingOutgrown bytes: UnsafeBufferPointer<UInt8>) {
    if capacity - count < bytes.count {
      var grown: [UInt8] = []
      grown.reserveCapacity(Swift.max(2 * capacity, count + bytes.count))
      grown.append(contentsOf: self)
      // A second reference would make the next change copy the bytes once more.
      swap(&self, &grown)
      if !grown.isEmpty { wipe(&grown) }
    }
    unsafe append(contentsOf: bytes)
  }
}

/// Runs `use` over everything that `body` writes, without an allocation where it is short.
@unsafe
package func withWrittenBytes<Result>(
  _ body: (inout ByteWriter) -> Void, _ use: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
  var overflow: [UInt8] = []
  defer { if !overflow.isEmpty { wipe(&overflow) } }
  return unsafe withUnsafeMutablePointer(to: &overflow) { overflow in
    unsafe ByteWriter.with(.array(overflow), body) { rest in
      unsafe rest.withUnsafeBufferPointer { rest in
        if unsafe overflow.pointee.isEmpty { return unsafe use(rest) }
        unsafe overflow.pointee.append(wipingOutgrown: rest)
        return unsafe overflow.pointee.withUnsafeBufferPointer { unsafe use($0) }
      }
    }
  }
}
