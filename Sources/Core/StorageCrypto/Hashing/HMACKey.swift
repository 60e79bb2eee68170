// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A key for HMAC (RFC 2104), which stores the hash states after the inner and the outer pad.
///
/// To authenticate a message, the key hashes only the blocks of the message and one more block, and allocates no
/// memory. The states are as secret as the key: they are wiped when the last reference is released, and each copy is
/// wiped after its use. States are copied from memory to memory, because a value in a variable may remain on the stack.
@safe @usableFromInline package final class HMACKey<Hash: HashFunction & BitwiseCopyable>: Sendable {
  // Safe to share: the inner and the outer state are written before the initializer returns and after the last
  // reference is released, and only read in between. A reader keeps the object alive until it has read them, because an
  // object may be released after its last use and the pointer does not retain it. The states may be wiped as bytes
  // because they contain no references, which the compiler checks (`BitwiseCopyable`).
  @usableFromInline nonisolated(unsafe) let states: UnsafeMutablePointer<Hash>

  @inlinable package init(_ key: Span<UInt8>) {
    unsafe states = .allocate(capacity: 2)
    unsafe states.initialize(repeating: Hash(), count: 2)
    if key.count > Hash.blockByteCount {
      unsafe Self.withScratch { hash, digest in
        unsafe hash.initialize(repeating: Hash())
        unsafe hash[0].update(key)
        unsafe hash[0].finish(into: digest)
        unsafe expand(Span(_unsafeElements: UnsafeBufferPointer(digest)))
      }
    } else {
      expand(key)
    }
  }

  @inlinable package convenience init(_ key: [UInt8]) {
    // The slice has to be released before the caller wipes the array, which would otherwise be copied then.
    self.init(key[0..<key.count].span)
  }

  @inlinable package convenience init(writing body: (inout ByteWriter) -> Void) {
    var key = [UInt8](writing: body)
    self.init(key)
    wipe(&key)
  }

  /// Creates a copy of a key that starts each message with the bytes that `body` writes.
  private init(_ key: HMACKey<Hash>, startingMessages body: (inout ByteWriter) -> Void) {
    unsafe states = .allocate(capacity: 2)
    withExtendedLifetime(key) { unsafe states.initialize(from: key.states, count: 2) }
    unsafe states[0].update(writing: body)
  }

  @inlinable deinit {
    unsafe wipe(UnsafeMutableRawBufferPointer(start: states, count: 2 * MemoryLayout<Hash>.stride))
    unsafe states.deallocate()
  }

  @inlinable static var innerPad: UInt8 { 0x36 }
  @inlinable static var outerPad: UInt8 { 0x5c }

  /// Hashes the padded key into both states; the key is not longer than a block.
  @inlinable func expand(_ key: Span<UInt8>) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Hash.blockByteCount) { pad in
      for index in pad.indices {
        unsafe pad[index] = (index < key.count ? key[index] : 0) ^ Self.innerPad
      }
      unsafe states[0].update(Span(_unsafeElements: UnsafeBufferPointer(pad)))
      for index in pad.indices {
        unsafe pad[index] ^= Self.innerPad ^ Self.outerPad
      }
      unsafe states[1].update(Span(_unsafeElements: UnsafeBufferPointer(pad)))
      unsafe wipe(UnsafeMutableRawBufferPointer(pad))
    }
  }

  /// Calls `body` with stack memory for a hash state and a digest, and wipes both afterwards.
  @inlinable static func withScratch<Result>(
    _ body: (UnsafeMutableBufferPointer<Hash>, UnsafeMutableBufferPointer<UInt8>) -> Result
  ) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: Hash.self, capacity: 1) { hash in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Hash.digestByteCount) { digest in
        defer {
          unsafe wipe(UnsafeMutableRawBufferPointer(hash))
          unsafe wipe(UnsafeMutableRawBufferPointer(digest))
        }
        return unsafe body(hash, digest)
      }
    }
  }

  /// Calls `use` with the authentication code for the bytes that `body` writes, and wipes the code afterwards.
  @inlinable package func withAuthenticationCode<Result>(
    writing body: (inout ByteWriter) -> Void, _ use: (Span<UInt8>) -> Result
  ) -> Result { withAuthenticationCode(updating: { $0.update(writing: body) }, use) }

  @inlinable
  func withAuthenticationCode<Result>(updating update: (inout Hash) -> Void, _ use: (Span<UInt8>) -> Result) -> Result {
    unsafe Self.withScratch { hash, digest in
      withExtendedLifetime(self) {
        unsafe copyState(0, to: hash)
        unsafe update(&hash[0])
        unsafe hash[0].finish(into: digest)
        unsafe copyState(1, to: hash)
      }
      unsafe hash[0].update(Span(_unsafeElements: UnsafeBufferPointer(digest)))
      unsafe hash[0].finish(into: digest)
      return unsafe use(Span(_unsafeElements: UnsafeBufferPointer(digest)))
    }
  }

  @inlinable func copyState(_ index: Int, to hash: UnsafeMutableBufferPointer<Hash>) {
    unsafe UnsafeMutableRawBufferPointer(hash).copyMemory(
      from: UnsafeRawBufferPointer(start: states + index, count: MemoryLayout<Hash>.stride))
  }

  /// Returns a key whose bytes are the authentication code for the bytes that `body` writes.
  @specialized(where Hash == SHA256)
  package func derivedKey(writing body: (inout ByteWriter) -> Void) -> HMACKey<Hash> {
    withAuthenticationCode(writing: body) { HMACKey($0) }
  }

  /// Returns a copy of the key that starts each message with the bytes that `body` writes, and hashes them only once.
  package func startingMessages(writing body: (inout ByteWriter) -> Void) -> HMACKey<Hash> {
    HMACKey(self, startingMessages: body)
  }

  @specialized(where Hash == SHA1)
  @specialized(where Hash == SHA256)
  package func authenticationCode(writing body: (inout ByteWriter) -> Void) -> Digest {
    withAuthenticationCode(writing: body) { Digest($0) }
  }

  @inlinable package func authenticationCode(for message: Span<UInt8>) -> Digest {
    withAuthenticationCode(updating: { $0.update(message) }, { Digest($0) })
  }

  @inlinable package func authenticationCode(for message: [UInt8]) -> Digest {
    message.withElements { authenticationCode(for: $0) }
  }

  @inlinable package func authenticationCode(for message: String) -> Digest {
    withBytes(of: message) { authenticationCode(for: $0) }
  }
}
