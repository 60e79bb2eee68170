#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The answer to a ``SigningJob``: either the signature in every form that is wanted, or the reason why there is none.
package struct SignedLine: Encodable, Sendable {
  /// The id of the request.
  package var id: String?
  /// The string to sign, with the session token in clear.
  package var stringToSign: String?
  /// The text whose hash is in the string to sign, with the session token in clear: OSS V4 and COS.
  package var canonicalRequest: String?
  /// The value of the Authorization header, for a request that is signed in its headers.
  package var authorization: String?
  /// The URL; presigned, if that was asked for.
  package var url: String?
  /// Why the request could not be signed.
  package var error: String?

  /// The answer as a line of JSON.
  package var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return #"{"error":"The answer cannot be written as JSON."}"# }
    return String(decoding: data, as: UTF8.self)
  }
}
