/// A key for HMAC (RFC 2104) with the state after the inner and the outer pad computed once.
///
/// Authenticating a message then costs the blocks of the message and one more, and no allocation. The states are as
/// secret as the key and are wiped when the last reference goes.
@safe
package final class HMACKey<Hash: HashFunction & BitwiseCopyable>: Sendable {
  @usableFromInline
  struct States: BitwiseCopyable, Sendable {
    @usableFromInline var inner = Hash()
    @usableFromInline var outer = Hash()

    @inlinable
    init() {}
  }

  // Written before the initializer returns and after the last reference is gone, only read in between. Whoever reads it
  // keeps the object until then, because an object may go after its last use, and the pointer is none. The states may be
  // wiped as bytes because they hold no reference, which the compiler checks (`BitwiseCopyable`).
  @usableFromInline nonisolated(unsafe) let states: UnsafeMutablePointer<States>

  /// Makes a key of any length.
  @inlinable
  package init(_ key: Span<UInt8>) {
    unsafe states = .allocate(capacity: 1)
    unsafe states.initialize(to: States())
    if key.count > Hash.blockByteCount {
      Hash.hash(key).withBytes { expand($0) }
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
    unsafe wipe(UnsafeMutableRawBufferPointer(start: states, count: MemoryLayout<States>.size))
    unsafe states.deallocate()
  }

  @inlinable
  func expand(_ key: Span<UInt8>) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Hash.blockByteCount) { pad in
      for index in pad.indices {
        unsafe pad[index] = (index < key.count ? key[index] : 0) ^ 0x36
      }
      unsafe states.pointee.inner.update(Span(_unsafeElements: UnsafeBufferPointer(pad)))
      for index in pad.indices {
        unsafe pad[index] ^= 0x36 ^ 0x5c
      }
      unsafe states.pointee.outer.update(Span(_unsafeElements: UnsafeBufferPointer(pad)))
      unsafe wipe(UnsafeMutableRawBufferPointer(pad))
    }
  }

  @inlinable
  func seal(_ inner: Digest) -> Digest {
    var outer = withExtendedLifetime(self) { unsafe states.pointee.outer }
    inner.withBytes { outer.update($0) }
    return outer.finalize()
  }

  /// The authentication code of everything that `body` writes.
  @inlinable
  package func authenticationCode(writing body: (inout ByteWriter) -> Void) -> Digest {
    let inner = withExtendedLifetime(self) { unsafe states.pointee.inner }
    return seal(inner.finalize(writing: body))
  }

  /// The authentication code of bytes that lie in memory.
  @inlinable
  package func authenticationCode(for message: Span<UInt8>) -> Digest {
    var inner = withExtendedLifetime(self) { unsafe states.pointee.inner }
    inner.update(message)
    return seal(inner.finalize())
  }

  /// The authentication code of a text in UTF-8.
  @inlinable
  package func authenticationCode(for message: String) -> Digest {
    withBytes(of: message) { authenticationCode(for: $0) }
  }
}
