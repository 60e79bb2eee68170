// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The statement about the body of a request that a signature covers: the value of `x-amz-content-sha256`.
///
/// Source: AWS, "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>.
public struct S3Payload: Sendable, Hashable {
  /// The value of the header, as it is signed.
  public let text: String

  private init(_ text: String) {
    self.text = text
  }

  /// A body that the signature does not cover (`UNSIGNED-PAYLOAD`).
  public static let unsigned = S3Payload("UNSIGNED-PAYLOAD")

  /// No body, or an empty one.
  public static let empty = S3Payload(S3Text.emptyHash.description)

  /// A body in signed chunks, without trailers.
  public static let signedChunks = S3Payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD")

  /// A body in signed chunks, with signed trailers.
  public static let signedChunksWithTrailer = S3Payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")

  /// A body in unsigned chunks, with trailers such as a checksum; current SDKs send it over HTTPS.
  public static let unsignedChunksWithTrailer = S3Payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER")

  /// Returns the statement for a body whose hash is known.
  ///
  /// - Parameter hex: The SHA-256 of the body in hexadecimal; a signer rejects any value other than 64 digits.
  public static func sha256(_ hex: String) -> S3Payload {
    S3Payload(hex.asciiLowercased)
  }

  /// Returns the statement for a body with these bytes, whose hash is computed immediately.
  public static func bytes(_ body: [UInt8]) -> S3Payload {
    S3Payload(SHA256.hash(body).hex)
  }

  /// Parses the value of `x-amz-content-sha256`; `nil` for a value of no known form.
  public init?(header text: String) {
    self.init(text)
    guard isWellFormed else { return nil }
  }

  /// Whether the body is framed in chunks (`aws-chunked`).
  package var isChunked: Bool { Self.chunked.contains(self) }

  /// Whether the chunks are signed.
  package var hasSignedChunks: Bool { self == .signedChunks || self == .signedChunksWithTrailer }

  /// Whether trailers follow the chunks.
  package var hasTrailer: Bool { self == .signedChunksWithTrailer || self == .unsignedChunksWithTrailer }

  /// Whether the value has one of the known forms.
  var isWellFormed: Bool { self == .unsigned || isChunked || isLowerHex(text) }

  private static let chunked: Set<S3Payload> = [.signedChunks, .signedChunksWithTrailer, .unsignedChunksWithTrailer]
}
