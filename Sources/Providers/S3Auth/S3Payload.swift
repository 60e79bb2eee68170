// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The value that a signature covers for the body of a request: the value of `x-amz-content-sha256`.
///
/// Source: AWS, <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>.
public struct S3Payload: Sendable, Hashable {
  /// The value of the `x-amz-content-sha256` header.
  public let text: String

  private init(_ text: String) { self.text = text }

  /// The payload value for a body that the signature does not cover (`UNSIGNED-PAYLOAD`).
  public static let unsigned = S3Payload("UNSIGNED-PAYLOAD")
  /// The payload value for a missing or empty body.
  public static let empty = S3Payload(S3Text.emptyHash.description)
  /// The payload value for a body in signed chunks, without trailers.
  public static let signedChunks = S3Payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
  /// The payload value for a body in signed chunks, with signed trailers.
  public static let signedChunksWithTrailer = S3Payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")
  /// The payload value for a body in unsigned chunks, with trailers such as a checksum, which current SDKs use.
  public static let unsignedChunksWithTrailer = S3Payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER")

  /// Returns the payload value for a body with the given SHA-256 hash.
  ///
  /// - Parameter hex: The hash in hexadecimal. A signer rejects a string other than 64 hexadecimal digits.
  public static func sha256(_ hex: String) -> S3Payload { S3Payload(hex.asciiLowercased) }

  /// Returns the payload value for a body with the given bytes, whose hash is computed immediately.
  public static func bytes(_ body: [UInt8]) -> S3Payload { S3Payload(SHA256.hash(body).hex) }

  /// Creates a payload from the value of `x-amz-content-sha256`, or returns `nil` if the format is not known.
  public init?(header text: String) {
    self.init(text)
    guard isWellFormed else { return nil }
  }

  package var isChunked: Bool { withBytes(of: text) { $0.starts(with: "STREAMING-") } }
  package var hasSignedChunks: Bool { self == .signedChunks || self == .signedChunksWithTrailer }
  package var hasTrailer: Bool { self == .signedChunksWithTrailer || self == .unsignedChunksWithTrailer }

  var isWellFormed: Bool {
    self == .unsigned || hasSignedChunks || hasTrailer || text.isLowerHex(byteCount: SHA256.digestByteCount)
  }
}

/// The properties of a chunked body that the headers of its request state.
struct S3ChunkFraming {
  /// The size of the object in bytes.
  let decodedByteCount: Int64
  /// The checksum algorithm of the trailer, or `nil` for a body without trailers.
  let trailer: S3Checksum.Algorithm?

  init(of request: HTTPRequest, as payload: S3Payload) throws(VerificationError) {
    let fields = request.headerFields
    guard let text = try fields.uniqueValue(for: .s3DecodedContentLength) else {
      throw .s3(
        "MissingContentLength", .malformed, "The header x-amz-decoded-content-length is missing.",
        remedy: "Send the number of bytes of the object.")
    }
    guard let count = Int64(digits: text) else {
      throw .s3(
        "InvalidArgument", .malformed, "The header x-amz-decoded-content-length is not a number.",
        remedy: "Send the number of bytes of the object.")
    }
    decodedByteCount = count
    let trailerName = try fields.uniqueValue(for: .s3Trailer)
    trailer = trailerName.flatMap { S3Checksum.Algorithm(fieldName: $0) }
    guard (trailerName != nil) == payload.hasTrailer, trailerName == nil || trailer != nil else {
      throw .s3(
        "MalformedTrailerError", .malformed,
        "The header x-amz-trailer does not name one checksum, or does not go with the form of the body.",
        remedy: "Name the one checksum that follows the body, for a body with trailers alone.")
    }
  }
}
