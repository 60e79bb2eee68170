// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto

  /// The two encodings of an ECDSA signature: as a sequence in DER, which libcrypto uses, and as fixed-length integers.
  enum ECDSASignature {
    /// Returns a signature in DER as the concatenation of R and S, each of the given size in bytes, or `nil` if the
    /// signature is malformed.
    static func concatenation(ofDER der: [UInt8], coordinateByteCount count: Int) -> [UInt8]? {
      unsafe der.withUnsafeBufferPointer { buffer -> [UInt8]? in
        var start = buffer.baseAddress
        guard let signature = unsafe d2i_ECDSA_SIG(nil, &start, buffer.count) else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        var first: OpaquePointer?
        var second: OpaquePointer?
        unsafe ECDSA_SIG_get0(signature, &first, &second)
        var halves = [UInt8](repeating: 0, count: count)
        var half = halves
        guard unsafe BN_bn2binpad(first, &halves, Int32(count)) == Int32(count),
          unsafe BN_bn2binpad(second, &half, Int32(count)) == Int32(count)
        else { return nil }
        halves.append(contentsOf: half)
        return halves
      }
    }

    /// Returns the encoding in DER of the concatenation of R and S, or `nil` if it does not have the expected length.
    static func der(ofConcatenation bytes: [UInt8], coordinateByteCount count: Int) -> [UInt8]? {
      guard bytes.count == 2 * count else { return nil }
      return DER.sequence([DER.integer(Array(bytes.prefix(count))), DER.integer(Array(bytes.suffix(count)))])
    }
  }
#endif
