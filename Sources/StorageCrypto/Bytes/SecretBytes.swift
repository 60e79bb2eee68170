package import Synchronization

/// Bytes that are wiped when the last reference to them goes.
@safe
@usableFromInline
package final class SecretBytes: Sendable {
  // Written before the initializer returns and after the last reference is gone, only read in between. A reader
  // keeps the object until then, because an object may go after its last use, and the pointer is none.
  @usableFromInline nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

  /// Copies bytes in.
  package init(_ bytes: Span<UInt8>) {
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    unsafe bytes.withUnsafeBytes { unsafe storage.copyMemory(from: $0) }
    unsafe self.storage = storage
  }

  deinit {
    unsafe wipe(storage)
    if let observer = Self.wipeObserver.withLock({ $0 }) {
      unsafe observer(Array(storage))
    }
    unsafe storage.deallocate()
  }

  /// Runs `body` over the bytes.
  @inlinable
  package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    withExtendedLifetime(self) {
      unsafe body(Span(_unsafeElements: UnsafeBufferPointer(storage.bindMemory(to: UInt8.self))))
    }
  }

  /// Called with the memory of each secret after it is wiped and before it is given back; for tests of the wiping.
  package static let wipeObserver = Mutex<(@Sendable ([UInt8]) -> Void)?>(nil)
}
