// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

// Chunked bodies (`aws-chunked`). Sources: AWS, "Signature Calculations for the Authorization Header: Transferring
// Payload in Multiple Chunks (Chunked Upload)", <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html>,
// and "… Including Trailing Headers (Chunked Upload)",
// <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html>.

/// The sequence of a chunked body's signatures.
///
/// Each signature covers the previous one, and the first one covers the signature of the request.
struct S3ChunkChain: Sendable {
  let scope: S3Scope
  let key: HMACKey<SHA256>
  private(set) var previousSignature: String

  init(scope: S3Scope, key: HMACKey<SHA256>, seed: String) {
    self.scope = scope
    self.key = key
    previousSignature = seed
  }

  /// Returns the signature of the next chunk, which the one after it covers; the hash is in hexadecimal.
  mutating func sign(chunkWith hash: String) -> String {
    let signature = key.authenticationCode { writer in
      scope.append(headWithSuffix: "-PAYLOAD", to: &writer)
      writer.append(previousSignature)
      writer.append(UInt8(ascii: "\n"))
      writer.append(S3Text.emptyHash)
      writer.append(UInt8(ascii: "\n"))
      writer.append(hash)
    }
    previousSignature = signature.hex
    return previousSignature
  }

  func signature(ofTrailer name: String, value: String) -> String {
    let hash = SHA256.hash(writing: { writer in
      writer.append(name)
      writer.append(UInt8(ascii: ":"))
      writer.append(value)
      writer.append(UInt8(ascii: "\n"))
    })
    return key.authenticationCode { writer in
      scope.append(headWithSuffix: "-TRAILER", to: &writer)
      writer.append(previousSignature)
      writer.append(UInt8(ascii: "\n"))
      writer.append(hex: hash)
    }.hex
  }
}

/// The constant texts of chunked bodies.
enum S3ChunkText {
  static let signature = ";chunk-signature="
  static let trailerSignature = "x-amz-trailer-signature"
}
