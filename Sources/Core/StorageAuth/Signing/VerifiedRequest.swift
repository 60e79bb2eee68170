// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A request whose signature was verified, with its signed components separate from its unsigned components.
///
/// Request handlers take this type, so that no request reaches them without verification. They must act only on
/// ``target`` and on the headers in ``signedHeaders``: any party that sees the request can change the rest.
///
/// Only a verifier creates a verified request, after it has compared the signature.
public struct VerifiedRequest: Sendable {
  /// A position of an authorization in a request.
  public enum Placement: Sendable {
    /// The authorization is in the request's headers.
    case header
    /// The authorization is in the URL's query.
    case query
  }

  /// The ID of the access key that the request was verified with.
  public let accessKeyID: AccessKeyID

  /// The position of the authorization in the request: the headers or the URL.
  public let placement: Placement

  /// Whether the signature is valid only in the position in which it was sent.
  ///
  /// The string to sign of COS is the same for a header and for a URL, so an authorization can be moved from one
  /// position to the other. In OSS V1, the date of a header and the expiration of a URL have different formats. OSS V4
  /// signs the parameters of a URL's authorization. The vendors' pages are listed at ``target``.
  public let signsPlacement: Bool

  /// The time at which the authorization expires, or `nil` if the authorization contains no expiration.
  public let expiration: Timestamp?

  /// The first time at which the verifier may have accepted the request's signature, or `nil` if it is not known.
  public let usableFrom: Timestamp?

  /// The last time at which the verifier may accept the request's signature.
  public let usableUntil: Timestamp

  /// The bucket, the object key, and the signed query parameters.
  ///
  /// OSS V1 signs only sub-resources (`acl`, `uploadId`, `response-content-type`, …) and the `Expires` of its URLs; OSS
  /// V4 signs every parameter; COS signs the parameters that the authorization lists. The vendors' pages are:
  ///
  /// - OSS V1:
  ///   <https://www.alibabacloud.com/help/en/oss/developer-reference/include-signatures-in-the-authorization-header>
  /// - OSS V4, "Include a V4 signature in the header":
  ///   <https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4>
  /// - COS, "Request Signature": <https://www.tencentcloud.com/document/product/436/7778>
  public let target: RequestTarget

  /// The unsigned query parameters in the order of the URL, including the signature itself.
  ///
  /// Unsigned parameters can be added, changed and removed without the key.
  public let unsignedParameters: [RequestTarget.Parameter]

  /// The names of the signed header fields in lowercase; `host` represents the authority.
  ///
  /// OSS signs the `x-oss-` fields, `content-type`, `content-md5` and, in V4, the fields that `AdditionalHeaders`
  /// lists; COS signs the fields that the authorization lists. The vendors' pages are listed at ``target``.
  public let signedHeaders: Set<String>

  /// A decoder for a body that is framed with signed chunks or trailers, or `nil` if the body is the object.
  ///
  /// The decoder is at the beginning of the body. A copy of it decodes the body once.
  public let bodyDecoder: (any BodyDecoder)?

  /// The signature of the request, in the only spelling that the verifier accepts.
  package let signature: Secret

  /// The target with signed and unsigned parameters, in the order of the URL, on which a simulated service acts.
  package let wholeTarget: RequestTarget

  /// Creates the result of a successful verification; for implementations of verifiers.
  ///
  /// - Parameters:
  ///   - accessKeyID: The ID of the access key that the request was verified with.
  ///   - placement: The position of the authorization in the request.
  ///   - signsPlacement: Whether the signature is rejected in the other position, as the scheme must guarantee.
  ///   - target: The bucket, the object key and every query parameter of the request.
  ///   - signedHeaders: The names of the signed header fields in lowercase.
  ///   - signature: The signature that was compared, in the only spelling that the verifier accepts.
  ///   - expiration: The time at which the authorization expires, or `nil` if the authorization contains no expiration.
  ///   - usableFrom: The first time at which the verifier may have accepted the signature, or `nil` if it is not known.
  ///   - usableUntil: The last time at which the verifier may accept the signature.
  ///   - bodyDecoder: A decoder for a body that is framed, or `nil` if the body is the object itself.
  ///   - signsParameter: A function that returns whether a parameter's name and value are signed.
  public init(
    accessKeyID: AccessKeyID, placement: Placement, signsPlacement: Bool, target: RequestTarget,
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
    wholeTarget = target
    var signedParameters: [RequestTarget.Parameter] = []
    var unsignedParameters: [RequestTarget.Parameter] = []
    for parameter in target.parameters {
      if signsParameter(parameter) { signedParameters.append(parameter) } else { unsignedParameters.append(parameter) }
    }
    self.target = target.replacingParameters(with: signedParameters)
    self.unsignedParameters = unsignedParameters
  }
}

/// A decoder for request bodies that clients send as signed chunks or with trailers.
///
/// The decoded bytes must not become visible before ``finish()`` returns.
public protocol BodyDecoder: Sendable {
  /// Decodes the next bytes of the body, which may be split at any position.
  ///
  /// - Parameter bytes: The next bytes of the body as received.
  /// - Returns: The bytes of the object that have been verified so far, which may be empty.
  /// - Throws: A ``VerificationError`` if the framing, a signature or a checksum is wrong, and in all further calls.
  mutating func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8]

  /// Checks, at the end of the body, that the body is complete.
  ///
  /// - Throws: A ``VerificationError`` if the body is incomplete, or a signature or a checksum is wrong.
  mutating func finish() throws(VerificationError)
}
