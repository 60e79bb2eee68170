// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A byte buffer that is wiped when its last reference is released.
@safe @usableFromInline package final class SecretBytes: Sendable {
  // Safe to share: the memory is written before the initializer returns and after the last reference is released, and
  // only read in between. A reader keeps the object alive until it has read the memory, because an object may be
  // released after its last use and the pointer does not retain it.
  @usableFromInline nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

  package init(_ bytes: Span<UInt8>) {
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    unsafe bytes.withUnsafeBytes { unsafe storage.copyMemory(from: $0) }
    unsafe self.storage = storage
  }

  package convenience init(_ bytes: [UInt8]) { self.init(bytes[0..<bytes.count].span) }

  deinit {
    unsafe wipe(storage)
    if let observer = Self.wipeObserver {
      unsafe observer(Array(storage))
    }
    unsafe storage.deallocate()
  }

  @inlinable package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    withExtendedLifetime(self) {
      unsafe body(Span(_unsafeElements: UnsafeBufferPointer(storage.bindMemory(to: UInt8.self))))
    }
  }

  /// A closure with which a test inspects the wiped memory of each secret that its task releases.
  @TaskLocal package static var wipeObserver: (@Sendable ([UInt8]) -> Void)?
}

extension [UInt8] {
  /// Copies the bytes of a secret in clear text into an array, which is not wiped unless its owner does so.
  package init(_ secret: SecretBytes) { self.init(writing: { writer in secret.withBytes { writer.append($0) } }) }
}

/// Returns whether two byte sequences are equal, in a time that depends only on their lengths.
package func constantTimeEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
  guard first.count == second.count else { return false }
  return unsafe first.withUnsafeBytes { first in
    unsafe second.withUnsafeBytes { second in unsafe isEqualInConstantTime(first, second) }
  }
}

package func constantTimeEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
  first.withElements { first in second.withElements { constantTimeEqual(first, $0) } }
}

package func constantTimeEqual(_ first: String, _ second: String) -> Bool {
  withBytes(of: first) { first in withBytes(of: second) { constantTimeEqual(first, $0) } }
}

/// Overwrites memory with zeros in a way that the optimizer does not remove.
@unsafe @usableFromInline func wipe(_ bytes: UnsafeMutableRawBufferPointer) { unsafe overwriteWithZeros(bytes) }

@usableFromInline package func wipe(_ bytes: inout [UInt8]) { unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) } }
