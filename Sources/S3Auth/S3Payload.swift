internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// What a signature says about the body of a request: the value of `x-amz-content-sha256`.
///
/// Page: "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk".
public struct S3Payload: Sendable, Hashable {
  /// The value of the header, as it is signed.
  public let text: String

  private init(_ text: String) {
    self.text = text
  }

  /// A body that the signature does not cover (`UNSIGNED-PAYLOAD`).
  public static let unsigned = S3Payload("UNSIGNED-PAYLOAD")

  /// No body, or one of no bytes.
  public static let empty = S3Payload(S3Text.emptyHash.description)

  /// A body in signed chunks, without trailers.
  public static let signedChunks = S3Payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD")

  /// A body in signed chunks, with trailers that are signed as well.
  public static let signedChunksWithTrailer = S3Payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")

  /// A body in chunks without signatures, with trailers such as a checksum; what current SDKs send over HTTPS.
  public static let unsignedChunksWithTrailer = S3Payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER")

  /// A body with a hash that is known already.
  ///
  /// - Parameter hex: The SHA-256 of the body in hexadecimal; a signer refuses anything but 64 digits.
  public static func sha256(_ hex: String) -> S3Payload {
    S3Payload(hex.asciiLowercased)
  }

  /// A body of these bytes, which are hashed at once.
  public static func bytes(_ body: [UInt8]) -> S3Payload {
    S3Payload(SHA256.hash(body).hex)
  }

  /// Reads the value of `x-amz-content-sha256`; `nil` for a text that is none of the known forms.
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

  /// Whether the text is one of the known forms.
  var isWellFormed: Bool { self == .unsigned || isChunked || isLowerHex(text) }

  private static let chunked: Set<S3Payload> = [.signedChunks, .signedChunksWithTrailer, .unsignedChunksWithTrailer]
}
