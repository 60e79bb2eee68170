public import StorageAuth

/// What a request says about its COS signature.
public struct COSClaim: SignatureClaim {
  /// The id of the key that it says it was signed with.
  public let accessKeyID: AccessKeyID

  /// The session token that came along.
  public let sessionToken: Secret?

  /// When the signature is valid.
  public let window: COSKeyTime

  /// Where the signature is.
  public let placement: VerifiedRequest.Placement

  let signature: String
  /// The names of the signed headers, decoded, in lower case.
  let headers: [String]
  /// The names of the signed parameters, decoded, in lower case.
  let parameters: [String]
  var target: RequestTarget
}
