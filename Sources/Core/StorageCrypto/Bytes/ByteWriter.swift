// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A buffered writer for bytes that are hashed or collected.
///
/// The block is on the stack and flushed when it is full, so that writing a canonical request does not allocate. A
/// writer exists only inside the closure that receives it. If an array collects the bytes, they may be a key, so the
/// block is wiped; for a string it is not, because a string cannot be wiped anyway.
@safe @usableFromInline package struct ByteWriter: ~Copyable {
  @unsafe @usableFromInline enum Destination {
    case sha1(UnsafeMutablePointer<SHA1>)
    case sha256(UnsafeMutablePointer<SHA256>)
    case sha384(UnsafeMutablePointer<SHA384>)
    case sha512(UnsafeMutablePointer<SHA512>)
    case md5(UnsafeMutablePointer<MD5>)
    case array(UnsafeMutablePointer<[UInt8]>)
  }

  /// The size of the block in bytes, which is small enough for the block to be always on the stack.
  @usableFromInline static var blockByteCount: Int { 1024 }

  // Safe: the block of `with` outlives the writer, and writes stay below `blockByteCount`.
  @usableFromInline let block: UnsafeMutableBufferPointer<UInt8>
  @usableFromInline let destination: Destination
  /// The number of used bytes in the block, which is never greater than `blockByteCount`.
  @usableFromInline var count = 0
  /// The maximum number of bytes that have been used in the block, as of its last flush.
  @usableFromInline var highestCount = 0

  @inlinable init(block: UnsafeMutableBufferPointer<UInt8>, destination: Destination) {
    unsafe self.block = block
    unsafe self.destination = destination
  }

  /// Calls `body` with a writer, and then calls `end` with the bytes that are still in the block.
  @inlinable static func with<Result>(
    _ destination: Destination, wipes: Bool = false, _ body: (inout ByteWriter) -> Void, end: (Span<UInt8>) -> Result
  ) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: blockByteCount) { block in
      var writer = unsafe ByteWriter(block: block, destination: destination)
      body(&writer)
      let result = unsafe end(Span(_unsafeElements: writer.stagedBytes))
      if wipes {
        let usedBlock = unsafe UnsafeMutableBufferPointer(rebasing: block[..<max(writer.count, writer.highestCount)])
        unsafe wipe(UnsafeMutableRawBufferPointer(usedBlock))
      }
      return result
    }
  }

  @unsafe @inlinable var stagedBytes: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(rebasing: block[..<count])
  }

  @usableFromInline mutating func flush() {
    switch unsafe destination {
    case .sha1(let hash): unsafe hash.pointee.update(Span(_unsafeElements: stagedBytes))
    case .sha256(let hash): unsafe hash.pointee.update(Span(_unsafeElements: stagedBytes))
    case .sha384(let hash): unsafe hash.pointee.update(Span(_unsafeElements: stagedBytes))
    case .sha512(let hash): unsafe hash.pointee.update(Span(_unsafeElements: stagedBytes))
    case .md5(let hash): unsafe hash.pointee.update(Span(_unsafeElements: stagedBytes))
    case .array(let array): unsafe array.pointee.append(wipingOutgrown: stagedBytes)
    }
    highestCount = max(highestCount, count)
    count = 0
  }

  /// The maximum size of a reservation in bytes, for which there is always space after a flush.
  @inlinable static var reservationLimit: Int { 256 }

  /// Reserves at most 256 bytes, which the caller then writes with ``put(_:at:)``, and returns the index of the first.
  @inlinable @inline(__always) package mutating func reserve(_ byteCount: Int) -> Int {
    precondition(byteCount <= Self.reservationLimit, "There is room for 256 bytes.")
    if count > Self.blockByteCount &- Self.reservationLimit { flush() }
    let start = count
    count = start &+ byteCount
    return start
  }

  /// Writes a byte to reserved space; unsafe at any other index, because the index is not checked.
  @unsafe @inlinable @inline(__always) package mutating func put(_ byte: UInt8, at index: Int) {
    assert(index < count)
    unsafe block[index] = byte
  }

  /// Appends the lowest bytes of an integer, at most eight.
  @inlinable @inline(__always) package mutating func append(lanes: UInt64, count laneCount: Int = 8) {
    precondition(laneCount >= 0 && laneCount <= 8, "A number has eight lanes.")
    let start = reserve(8)
    // Within the reserved space: eight bytes are stored, and those that are not needed are released.
    unsafe UnsafeMutableRawBufferPointer(block).storeBytes(of: lanes.littleEndian, toByteOffset: start, as: UInt64.self)
    releaseReserved(from: start &+ laneCount)
  }

  @inlinable @inline(__always) package mutating func append(_ lanes: ByteLanes, count laneCount: Int) {
    precondition(laneCount >= 0 && laneCount <= 16, "There are sixteen lanes.")
    let start = reserve(16)
    // Within the reserved space: sixteen bytes are stored, and those that are not needed are released.
    unsafe UnsafeMutableRawBufferPointer(block).storeBytes(of: lanes.bytes, toByteOffset: start, as: SIMD16<UInt8>.self)
    releaseReserved(from: start &+ laneCount)
  }

  /// Appends the first bytes of two sets of lanes, at most 32.
  @inlinable @inline(__always)
  package mutating func append(_ first: ByteLanes, _ second: ByteLanes, count laneCount: Int) {
    precondition(laneCount >= 0 && laneCount <= 32, "There are 32 lanes.")
    let start = reserve(32)
    // Within the reserved space: 32 bytes are stored, and those that are not needed are released.
    unsafe UnsafeMutableRawBufferPointer(block).storeBytes(of: first.bytes, toByteOffset: start, as: SIMD16<UInt8>.self)
    unsafe UnsafeMutableRawBufferPointer(block).storeBytes(
      of: second.bytes, toByteOffset: start &+ 16, as: SIMD16<UInt8>.self)
    releaseReserved(from: start &+ laneCount)
  }

  /// Releases the unused end of the last reservation, starting at an index.
  @inlinable @inline(__always) mutating func releaseReserved(from index: Int) {
    precondition(index >= 0 && index <= count, "The index is outside of what was reserved.")
    count = index
  }

  @inlinable @inline(__always) package mutating func append(_ byte: UInt8) {
    if count == Self.blockByteCount { flush() }
    unsafe block[count] = byte
    count &+= 1
  }

  @inlinable @inline(__always) package mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(buffer: $0) }
  }

  @inlinable @inline(__always) package mutating func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(buffer: $0) }
  }

  @inlinable @inline(__always) mutating func append(buffer: UnsafeBufferPointer<UInt8>) {
    // An empty buffer may have a `nil` base address, and has no bytes to append; the block always has an address.
    guard let source = buffer.baseAddress, let start = unsafe block.baseAddress else { return }
    guard buffer.count <= Self.blockByteCount &- count else { return unsafe append(long: buffer) }
    unsafe (start + count).initialize(from: source, count: buffer.count)
    count &+= buffer.count
  }

  @usableFromInline mutating func append(long buffer: UnsafeBufferPointer<UInt8>) {
    var remainingBytes = unsafe buffer[...]
    while unsafe !remainingBytes.isEmpty {
      if count == Self.blockByteCount { flush() }
      let piece = unsafe UnsafeBufferPointer(rebasing: remainingBytes.prefix(Self.blockByteCount - count))
      unsafe append(buffer: piece)
      unsafe remainingBytes = remainingBytes.dropFirst(piece.count)
    }
  }

  @inlinable @inline(__always) package mutating func append(_ string: String) { withBytes(of: string) { append($0) } }

  @inlinable @inline(__always)
  package mutating func append(_ text: StaticString) { text.withUTF8Buffer { unsafe append(buffer: $0) } }
  package mutating func append(_ digest: Digest) { digest.withBytes { append($0) } }
}

/// Calls `body` with the UTF-8 bytes of a string, without a copy if the string stores them contiguously.
@inlinable @inline(__always) package func withBytes<Result, Failure: Error>(
  of string: String, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
  let outcome = unsafe string.utf8.withContiguousStorageIfAvailable { buffer -> Swift.Result<Result, Failure> in
    do throws(Failure) {
      return .success(try body(unsafe Span(_unsafeElements: buffer)))
    } catch { return .failure(error) }
  }
  if let outcome { return try outcome.get() }
  return try withCopiedBytes(of: string, body)
}

/// Calls `body` with a copy of the bytes of a string that does not store them contiguously, as from Objective-C.
@usableFromInline func withCopiedBytes<Result, Failure: Error>(
  of string: String, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result { try Array(string.utf8).withElements(body) }

extension String {
  /// Creates a string from the bytes that `body` writes, which must be valid UTF-8.
  package init(writing body: (inout ByteWriter) -> Void) {
    self = withWrittenBytes(body) { bytes in
      unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}

extension [UInt8] {
  @usableFromInline package init(writing body: (inout ByteWriter) -> Void) {
    self = []
    unsafe withUnsafeMutablePointer(to: &self) { array in
      unsafe ByteWriter.with(.array(array), wipes: true, body) { rest in
        unsafe rest.withUnsafeBufferPointer { unsafe array.pointee.append(wipingOutgrown: $0) }
      }
    }
  }

  /// Appends bytes; if the array needs more memory, the old memory is wiped before it is released.
  @usableFromInline mutating func append(wipingOutgrown bytes: UnsafeBufferPointer<UInt8>) {
    if capacity - count < bytes.count {
      var largerArray: [UInt8] = []
      largerArray.reserveCapacity(Swift.max(2 * capacity, count + bytes.count))
      largerArray.append(contentsOf: self)
      // A second reference would make the next mutation copy the bytes again.
      swap(&self, &largerArray)
      // After the swap, this is the old array.
      if !largerArray.isEmpty { wipe(&largerArray) }
    }
    unsafe append(contentsOf: bytes)
  }
}

/// Calls `use` with all bytes that `body` writes, without an allocation if the bytes fit into the block.
@inlinable
package func withWrittenBytes<Result>(_ body: (inout ByteWriter) -> Void, _ use: (Span<UInt8>) -> Result) -> Result {
  var overflow: [UInt8] = []
  defer { if !overflow.isEmpty { wipe(&overflow) } }
  return unsafe withUnsafeMutablePointer(to: &overflow) { overflow in
    unsafe ByteWriter.with(.array(overflow), body) { rest in
      if unsafe overflow.pointee.isEmpty { return use(rest) }
      unsafe rest.withUnsafeBufferPointer { unsafe overflow.pointee.append(wipingOutgrown: $0) }
      return unsafe overflow.pointee.withElements { use($0) }
    }
  }
}

extension Array {
  /// Calls `body` with a span of the elements.
  ///
  /// The property `span` of an array exists on Apple's systems from version 26 on; that of a slice exists on all.
  @inlinable @inline(__always) package func withElements<Result, Failure: Error>(
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let elements = self[...]
    return try body(elements.span)
  }
}
