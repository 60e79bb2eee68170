internal import NIOCore
internal import StorageAuth

/// A check that sees every byte of a body as it passes.
protocol BodyCheck: Sendable {
  /// Continues with more bytes.
  mutating func update(_ bytes: Span<UInt8>)

  /// Ends the body.
  ///
  /// - Returns: The checksum to keep with the object; `nil` for a check that gives none.
  func finish() throws(RefusalAnswer) -> StoredChecksum?
}

/// Takes a body apart that is framed within the body of the request.
protocol BodyReader: Sendable {
  /// Returns the bytes of the object that some bytes of the body hold.
  ///
  /// What came out counts for nothing if a later call throws.
  mutating func read(_ bytes: ByteBuffer) throws(VerificationError) -> ByteBuffer

  /// Ends the body.
  mutating func finish() throws(VerificationError)
}

/// A checksum that a client chose the algorithm of.
struct StoredChecksum: Sendable, Codable, Equatable {
  /// The algorithm, as the service names it in headers.
  let algorithm: String

  /// The value in Base64; with `-` and the number of parts for one of checksums of parts.
  let value: String

  /// Whether it is the checksum of the checksums of the parts.
  var isComposite = false
}

/// What the checksums of an upload in parts have to be.
struct ChecksumRule: Sendable, Equatable {
  /// The algorithm, as the service names it in headers.
  let algorithm: String

  /// Whether the checksum of the object is that of the checksums of its parts.
  let isComposite: Bool

  /// Whether the client asked for it.
  let isChosen: Bool
}
