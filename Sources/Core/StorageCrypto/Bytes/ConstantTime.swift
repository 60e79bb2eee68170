// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// Returns whether two byte sequences are equal, in a time that depends only on their lengths.
package func constantTimeEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
  guard first.count == second.count else { return false }
  return unsafe first.withUnsafeBytes { first in
    unsafe second.withUnsafeBytes { second in
      unsafe isEqualInConstantTime(first, second)
    }
  }
}

/// Returns whether two arrays of bytes are equal, in a time that depends only on their lengths.
package func constantTimeEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
  first.withElements { first in second.withElements { constantTimeEqual(first, $0) } }
}

/// Returns whether two strings are equal byte for byte, in a time that depends only on their lengths.
package func constantTimeEqual(_ first: String, _ second: String) -> Bool {
  withBytes(of: first) { first in withBytes(of: second) { constantTimeEqual(first, $0) } }
}

/// Overwrites memory with zeros in a way that the optimizer does not remove.
@unsafe
@usableFromInline
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
  unsafe overwriteWithZeros(bytes)
}

/// Overwrites the bytes of an array with zeros.
@usableFromInline
package func wipe(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) }
}
