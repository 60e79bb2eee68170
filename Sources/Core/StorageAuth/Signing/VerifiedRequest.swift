// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A request whose signature was verified, with its signed components separate from its unsigned components.
///
/// Request handlers take this type, so that no request reaches them without verification. They must act only on
/// ``target`` and on the headers in ``signedHeaders``: any party that sees the request can change the rest.
///
/// Only a verifier may create a verified request, after it has compared the signature.
public struct VerifiedRequest: Sendable {
  /// The part of a request that contains the authorization.
  public enum Placement: Sendable {
    /// The authorization is in the request's headers.
    case header
    /// The authorization is in the URL's query.
    case query
  }

  /// The ID of the access key that the request was verified with.
  public let accessKeyID: AccessKeyID
  /// The placement of the authorization: in the headers or in the URL.
  public let placement: Placement
  /// Whether the scheme guarantees that the signature is valid only in the placement in which it was sent.
  ///
  /// The string to sign of COS is the same for a header and for a URL, so an authorization can be moved from one
  /// placement to the other. In OSS V1, the date of a header and the expiration of a URL have different formats. OSS V4
  /// and S3 sign the parameters of a URL's authorization. The vendors' pages are listed at ``target``.
  public let signsPlacement: Bool
  /// The time at which the authorization expires, or `nil` if the authorization contains no expiration.
  ///
  /// For example, the header of S3 contains only its signing time, and the verifier accepts it for 15 minutes: the
  /// expiration is `nil`, and ``usableUntil`` is the end of the 15 minutes.
  public let expiration: Timestamp?
  /// The first time at which the verifier may have accepted the request's signature, or `nil` if it is not known.
  public let usableFrom: Timestamp?
  /// The last time at which the verifier may accept the request's signature.
  public let usableUntil: Timestamp

  /// The bucket, the object key, and the signed query parameters.
  ///
  /// OSS V1 signs only sub-resources (`acl`, `uploadId`, `response-content-type`, …) and the `Expires` of its URLs; OSS
  /// V4 and S3 sign every parameter; COS signs the parameters that the authorization lists. The vendors' pages are:
  ///
  /// - OSS V1:
  ///   <https://www.alibabacloud.com/help/en/oss/developer-reference/include-signatures-in-the-authorization-header>
  /// - OSS V4, "Include a V4 signature in the header":
  ///   <https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4>
  /// - COS, "Request Signature": <https://www.tencentcloud.com/document/product/436/7778>
  /// - S3, "Signature Calculations for the Authorization Header":
  ///   <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>
  public let target: RequestTarget

  /// The unsigned query parameters in the order of the URL, including the signature itself.
  ///
  /// Unsigned parameters can be added, changed and removed without the key.
  public let unsignedParameters: [RequestTarget.Parameter]

  /// The names of the signed header fields in lowercase; `host` represents the authority.
  ///
  /// OSS signs the `x-oss-` fields, `content-type`, `content-md5` and, in V4, the fields that `AdditionalHeaders`
  /// lists; COS and S3 sign the fields that the authorization lists. The vendors' pages are listed at ``target``.
  public let signedHeaders: Set<String>

  /// A decoder that the body must pass, or `nil` if the body is the object.
  ///
  /// It decodes a body with signed chunks or trailers, or refuses all bytes if the signature must cover the body and
  /// does not. The decoder is at the beginning of the body: copy it, and decode the body once with the copy.
  public let bodyDecoder: (any BodyDecoder)?

  /// The signature of the request, in the only spelling that the verifier accepts.
  package let signature: Secret
  /// The target with signed and unsigned parameters, in the order of the URL, on which a simulated service acts.
  package let wholeTarget: RequestTarget

  /// Creates the result of a successful verification, for implementations of verifiers.
  ///
  /// The parameters are the properties, with every query parameter in the target; the signature, in the only spelling
  /// that the verifier accepts; and a function that returns whether a parameter's name and value are signed.
  public init(
    accessKeyID: AccessKeyID, placement: Placement, signsPlacement: Bool, target wholeTarget: RequestTarget,
    signedHeaders: Set<String>, signature: Secret, expiration: Timestamp?, usableFrom: Timestamp? = nil,
    usableUntil: Timestamp, bodyDecoder: (any BodyDecoder)? = nil, signsParameter: (RequestTarget.Parameter) -> Bool
  ) {
    self.accessKeyID = accessKeyID
    self.placement = placement
    self.signsPlacement = signsPlacement
    self.signedHeaders = signedHeaders
    self.signature = signature
    self.expiration = expiration
    self.usableFrom = usableFrom
    self.usableUntil = usableUntil
    self.bodyDecoder = bodyDecoder
    self.wholeTarget = wholeTarget
    var signedParameters: [RequestTarget.Parameter] = []
    var unsignedParameters: [RequestTarget.Parameter] = []
    for parameter in wholeTarget.parameters {
      if signsParameter(parameter) { signedParameters.append(parameter) } else { unsignedParameters.append(parameter) }
    }
    target = wholeTarget.replacingParameters(with: signedParameters)
    self.unsignedParameters = unsignedParameters
  }
}

/// A decoder for request bodies that clients send as signed chunks or with trailers.
///
/// The decoded bytes must not become visible before ``finish()`` returns: only then is it certain that no chunk is
/// missing at the end, and, if the chunks are not signed, that the checksum in the trailer is right.
public protocol BodyDecoder: Sendable {
  /// Decodes the next bytes of the body, which may be split at any position.
  ///
  /// - Parameter bytes: The next bytes of the body as received.
  /// - Returns: The next bytes of the object, possibly none: a signed chunk follows when its signature is verified.
  /// - Throws: A ``VerificationError`` if the framing, a signature or a checksum is wrong, and on all further calls.
  mutating func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8]

  /// Checks that the body is complete, after its last bytes were decoded.
  ///
  /// - Throws: A ``VerificationError`` if the body is incomplete, or a signature or a checksum is wrong.
  mutating func finish() throws(VerificationError)
}

/// A decoder that refuses all bytes, for a request whose signature has to cover the body and does not.
///
/// The headers of a request over HTTP/2 do not tell whether it has a body.
package struct EmptyBodyDecoder: BodyDecoder {
  private let error: VerificationError
  package init(error: VerificationError) { self.error = error }

  package func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8] {
    guard bytes.isEmpty else { throw error }
    return bytes
  }

  package func finish() {}
}
