// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// The unverified statements of a request about its COS signature, such as the access key ID and the validity window.
public struct COSClaim: SignatureClaim, Redacted {
  /// The ID of the access key with which the request claims to be signed.
  public let accessKeyID: AccessKeyID
  /// The session token in the request, or `nil` if the request contains no session token.
  public let sessionToken: Secret?
  /// The window in which the signature is valid.
  public let window: COSKeyTime
  /// The part of the request that contains the signature: the headers or the URL.
  public let placement: VerifiedRequest.Placement
  /// The request that the claim was parsed from.
  public let request: HTTPRequest

  /// The access key ID and the placement, without the token, the signature and the request.
  public var description: String { "COSClaim(\(accessKeyID), in the \(placement))" }

  let signature: String
  /// The names in the authorization, which are decoded and lowercase; see ``COSAuthorization``.
  let listedHeaders, listedParameters: [String]
  let target: RequestTarget
  /// The verifier that parsed the claim, and is the only one that accepts it.
  let verifier: COSVerifier

  var signedParameters: Set<ByteExactString> { Set(listedParameters.map { ByteExactString($0) }) }

  package var signedHeaders: Set<String> {
    Set(listedHeaders).intersection(request.headerFields.map(\.name.canonicalName) + ["host"])
  }
}
