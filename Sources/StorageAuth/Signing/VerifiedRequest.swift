internal import HTTPTypes

/// A request whose signature was verified, with what the signature covers apart from what it does not.
///
/// Handlers take this type, so that no path leads to them past the verification, and act on ``target`` and on the headers
/// of ``signedHeaders`` alone: whatever else a request holds can be changed by each party that sees it.
///
/// A verifier makes one when it has compared the signature, and nothing else does.
public struct VerifiedRequest: Sendable {
  /// The id of the key that the request was verified against.
  public let accessKeyID: AccessKeyID

  /// Where the authorization was.
  public let placement: Placement

  /// Whether the signature covers its placement, so that it is refused in the other one.
  ///
  /// The string to sign of COS is the same for a header and for a URL: an authorization can be moved from one to the
  /// other. In OSS V1 the date of a header and the expiration of a URL differ in form, and OSS V4 signs the parameters of
  /// a URL's authorization.
  public let signsPlacement: Bool

  /// When the authorization ends, or `nil` if the scheme does not say.
  public let expiration: Timestamp?

  /// The last instant at which the verifier may accept the signature.
  public let usableUntil: Timestamp

  /// The bucket, the key, and those query parameters that the signature covers.
  ///
  /// OSS V1 covers sub-resources (`acl`, `uploadId`, `response-content-type`, …) and the `Expires` of its URLs alone;
  /// OSS V4 every parameter; COS the parameters that the authorization lists.
  public let target: RequestTarget

  /// The query parameters that the signature does not cover, in the order of the URL, the signature itself among them.
  ///
  /// They can be added, changed and removed without the key.
  public let unsignedParameters: [RequestTarget.Parameter]

  /// The names of the header fields that the signature covers, in lower case; `host` stands for the authority.
  ///
  /// OSS covers `x-oss-` fields, `content-type`, `content-md5` and, in V4, those of `AdditionalHeaders`; COS those that
  /// the authorization lists.
  public let signedHeaders: Set<String>

  /// Where an authorization can be.
  public enum Placement: Sendable {
    /// In the headers.
    case header
    /// In the URL.
    case query
  }

  /// The signature, in the one spelling that verifies.
  package let signature: Secret

  /// The target with the unsigned parameters, in the order of the URL: what the service that is imitated acts on.
  package let wholeTarget: RequestTarget

  /// Creates the result of a successful verification; for verifiers.
  ///
  /// - Parameters:
  ///   - accessKeyID: The id of the key that the request was verified against.
  ///   - placement: Where the authorization was.
  ///   - signsPlacement: Whether the signature is refused in the other placement; `false` unless the scheme makes sure.
  ///   - target: The bucket, the key and every query parameter of the request.
  ///   - signedHeaders: The names of the header fields that the signature covers, in lower case.
  ///   - signature: The signature as it was compared, in the one spelling that verifies.
  ///   - expiration: When the authorization ends, or `nil` if the scheme does not say.
  ///   - usableUntil: The last instant at which the verifier may accept the signature.
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
