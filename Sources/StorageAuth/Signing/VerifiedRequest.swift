// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A request whose signature was verified, with the parts that the signature covers separate from those that it does
/// not.
///
/// Request handlers take this type, so that no request reaches them without verification. They must act only on
/// ``target`` and on the headers in ``signedHeaders``: any party that sees the request can change the rest.
///
/// Only a verifier creates one, after it has compared the signature.
public struct VerifiedRequest: Sendable {
  /// The ID of the key that the request was verified against.
  public let accessKeyID: AccessKeyID

  /// The placement of the authorization.
  public let placement: Placement

  /// A Boolean value that indicates whether the signature covers its placement, so that it is rejected in the other
  /// one.
  ///
  /// The string to sign of COS is the same for a header and for a URL: an authorization can be moved from one to the
  /// other. In OSS V1 the date of a header and the expiration of a URL differ in form, and OSS V4 signs the parameters
  /// of a URL's authorization. The vendors' pages are listed at ``target``.
  public let signsPlacement: Bool

  /// The time at which the authorization expires, or `nil` if the scheme does not state it.
  public let expiration: Timestamp?

  /// The last time at which the verifier may accept the signature.
  public let usableUntil: Timestamp

  /// The bucket, the key, and those query parameters that the signature covers.
  ///
  /// OSS V1 covers only sub-resources (`acl`, `uploadId`, `response-content-type`, …) and the `Expires` of its URLs;
  /// OSS V4 covers every parameter; COS covers the parameters that the authorization lists. The vendors' pages are:
  ///
  /// - OSS V1:
  ///   <https://www.alibabacloud.com/help/en/oss/developer-reference/include-signatures-in-the-authorization-header>
  /// - OSS V4, "Include a V4 signature in the header":
  ///   <https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4>
  /// - COS, "Request Signature": <https://www.tencentcloud.com/document/product/436/7778>
  public let target: RequestTarget

  /// The query parameters that the signature does not cover, in the order of the URL, including the signature itself.
  ///
  /// They can be added, changed and removed without the key.
  public let unsignedParameters: [RequestTarget.Parameter]

  /// The names of the header fields that the signature covers, in lower case; `host` stands for the authority.
  ///
  /// OSS covers the `x-oss-` fields, `content-type`, `content-md5` and, in V4, the fields that `AdditionalHeaders`
  /// lists; COS covers the fields that the authorization lists. The vendors' pages are listed at ``target``.
  public let signedHeaders: Set<String>

  /// A placement of an authorization in a request.
  public enum Placement: Sendable {
    /// In the headers.
    case header
    /// In the URL.
    case query
  }

  /// The signature, in the only spelling that the verifier accepts.
  package let signature: Secret

  /// The target with the unsigned parameters, in the order of the URL, on which the imitated service acts.
  package let wholeTarget: RequestTarget

  /// Creates the result of a successful verification; for implementations of verifiers.
  ///
  /// - Parameters:
  ///   - accessKeyID: The ID of the key that the request was verified against.
  ///   - placement: The placement of the authorization.
  ///   - signsPlacement: Whether the signature is rejected in the other placement; `false` unless the scheme guarantees
  ///     it.
  ///   - target: The bucket, the key and every query parameter of the request.
  ///   - signedHeaders: The names of the header fields that the signature covers, in lower case.
  ///   - signature: The signature that was compared, in the only spelling that the verifier accepts.
  ///   - expiration: The time at which the authorization expires, or `nil` if the scheme does not state it.
  ///   - usableUntil: The last time at which the verifier may accept the signature.
  ///   - signsParameter: Returns whether the signature covers a parameter's name and value.
  public init(
    accessKeyID: AccessKeyID, placement: Placement, signsPlacement: Bool, target: RequestTarget,
    signedHeaders: Set<String>, signature: Secret, expiration: Timestamp?, usableUntil: Timestamp,
    signsParameter: (RequestTarget.Parameter) -> Bool
  ) {
    self.accessKeyID = accessKeyID
    self.placement = placement
    self.signsPlacement = signsPlacement
    self.signedHeaders = signedHeaders
    self.signature = signature
    self.expiration = expiration
    self.usableUntil = usableUntil
    wholeTarget = target
    var signed: [RequestTarget.Parameter] = []
    var unsigned: [RequestTarget.Parameter] = []
    for parameter in target.parameters {
      if signsParameter(parameter) { signed.append(parameter) } else { unsigned.append(parameter) }
    }
    self.target = target.replacingParameters(with: signed)
    unsignedParameters = unsigned
  }
}
