/// A key for HMAC (RFC 2104) with the state after the inner and the outer pad computed once.
///
/// Authenticating a message then costs the blocks of the message and one more, and no allocation. The states are as
/// secret as the key: they are wiped when the last reference goes, and every copy of them that a message is
/// authenticated with is wiped when that is done. Copies are made from memory to memory, since what passes through a
/// variable may stay on the stack.
@safe
@usableFromInline
package final class HMACKey<Hash: HashFunction & BitwiseCopyable>: Sendable {
  // The inner and the outer state, written before the initializer returns and after the last reference is gone, only
  // read in between. A reader keeps the object until then, because an object may go after its last use, and the pointer
  // is none. The states may be wiped as bytes because they hold no reference, which the compiler checks
  // (`BitwiseCopyable`).
  @usableFromInline nonisolated(unsafe) let states: UnsafeMutablePointer<Hash>

  /// Makes a key of any length.
  @inlinable
  package init(_ key: Span<UInt8>) {
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

  /// Makes a key of the bytes that `body` writes.
  @inlinable
  package convenience init(writing body: (inout ByteWriter) -> Void) {
    var key = [UInt8](writing: body)
    self.init(key.span)
    wipe(&key)
  }

  @inlinable
  deinit {
    unsafe wipe(UnsafeMutableRawBufferPointer(start: states, count: 2 * MemoryLayout<Hash>.stride))
    unsafe states.deallocate()
  }

  @inlinable
  func expand(_ key: Span<UInt8>) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Hash.blockByteCount) { pad in
      for index in pad.indices {
        unsafe pad[index] = (index < key.count ? key[index] : 0) ^ 0x36
      }
      unsafe states[0].update(Span(_unsafeElements: UnsafeBufferPointer(pad)))
      for index in pad.indices {
        unsafe pad[index] ^= 0x36 ^ 0x5c
      }
      unsafe states[1].update(Span(_unsafeElements: UnsafeBufferPointer(pad)))
      unsafe wipe(UnsafeMutableRawBufferPointer(pad))
    }
  }

  /// Runs `body` with memory for a hash and for a digest on the stack, both of which are wiped.
  @inlinable
  static func withScratch<Result>(
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

  /// Runs `use` over the authentication code of everything that `body` writes; the code is wiped afterwards.
  @inlinable
  package func withAuthenticationCode<Result>(
    writing body: (inout ByteWriter) -> Void, _ use: (Span<UInt8>) -> Result
  ) -> Result {
    withCode({ $0.update(writing: body) }, use)
  }

  @inlinable
  func withCode<Result>(_ update: (inout Hash) -> Void, _ use: (Span<UInt8>) -> Result) -> Result {
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

  @inlinable
  func copyState(_ index: Int, to hash: UnsafeMutableBufferPointer<Hash>) {
    unsafe UnsafeMutableRawBufferPointer(hash).copyMemory(
      from: UnsafeRawBufferPointer(start: states + index, count: MemoryLayout<Hash>.stride))
  }

  /// A key whose bytes are the authentication code of everything that `body` writes.
  @specialized(where Hash == SHA256)
  package func derivedKey(writing body: (inout ByteWriter) -> Void) -> HMACKey<Hash> {
    withAuthenticationCode(writing: body) { HMACKey($0) }
  }

  /// The authentication code of everything that `body` writes.
  @specialized(where Hash == SHA1)
  @specialized(where Hash == SHA256)
  package func authenticationCode(writing body: (inout ByteWriter) -> Void) -> Digest {
    withAuthenticationCode(writing: body) { Digest($0) }
  }

  /// The authentication code of bytes that lie in memory.
  @inlinable
  package func authenticationCode(for message: Span<UInt8>) -> Digest {
    withCode({ $0.update(message) }, { Digest($0) })
  }

  /// The authentication code of a text in UTF-8.
  @inlinable
  package func authenticationCode(for message: String) -> Digest {
    withBytes(of: message) { authenticationCode(for: $0) }
  }
}
