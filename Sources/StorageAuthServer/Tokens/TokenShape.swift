public import HTTPTypes

/// The form of the answers of a route that hands out keys, such as the vendors' SDKs read.
///
/// Providers declare theirs as static members; `TokenShape.oss` is an example.
public struct TokenShape: Sendable {
  /// The reason why a caller gets no key, as far as it is told.
  public struct Refusal: Sendable, Hashable {
    /// The status of the answer.
    public let status: HTTPResponse.Status

    /// A code in camel case, such as `TooManyRequests`.
    public let code: String

    /// A sentence without secrets.
    public let message: String
  }

  let document: @Sendable (VendedKey, _ requestID: String) -> [UInt8]
  let refusal: @Sendable (Refusal, _ requestID: String) -> [UInt8]

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - document: Writes an answer with a key, as JSON in UTF-8.
  ///   - refusal: Writes an answer without one, as JSON in UTF-8.
  public init(
    document: @escaping @Sendable (VendedKey, _ requestID: String) -> [UInt8],
    refusal: @escaping @Sendable (Refusal, _ requestID: String) -> [UInt8]
  ) {
    self.document = document
    self.refusal = refusal
  }
}
