internal import HTTPTypes

/// Why a request whose signature is right is refused all the same.
struct RequestRefusal: Error {
  let status: HTTPResponse.Status
  let code: String
  let message: String

  static let replayed = RequestRefusal(
    status: .forbidden, code: "RequestReplayed", message: "The signature was used before. Sign the request anew.")

  static let busy = RequestRefusal(
    status: .serviceUnavailable, code: "ServiceBusy",
    message: "Too many signatures of this key that are still valid were used. Try again when they have ended.")

  static let invalidDigest = RequestRefusal(
    status: .badRequest, code: "InvalidDigest", message: "The Content-MD5, or the SHA-256 of the body, is not a hash.")

  static let bodyMismatch = RequestRefusal(
    status: .badRequest, code: "BadDigest", message: "The body is not the one whose hash was sent along.")

  /// The refusal of a bucket that no handler is to see; `problem` is a verb with what follows it.
  static func invalidBucket(_ problem: String) -> RequestRefusal {
    RequestRefusal(
      status: .badRequest, code: "InvalidBucketName", message: "The bucket \(problem). Name a bucket without that.")
  }

  /// The refusal of a key that no handler is to see; `problem` is a verb with what follows it.
  static func invalidKey(_ problem: String) -> RequestRefusal {
    RequestRefusal(
      status: .badRequest, code: "InvalidObjectName", message: "The key \(problem). Use a key without that.")
  }
}
