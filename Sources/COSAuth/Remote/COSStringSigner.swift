internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// Signs strings to sign that somebody else made, after reading them: the server's half of the self-signed mode.
///
/// It is no oracle. The text is taken apart into the request that it authorizes; that request is canonicalised again and
/// has to give the same bytes; then the request has to be within the caller's rules. Only then the key signs. The host
/// has to be signed: it says which bucket is meant.
///
/// A COS signature does not say which headers and parameters it leaves out. A service that is not strict accepts a
/// request that carries more than was signed, such as `x-cos-copy-source` or `?acl`, and no server can prevent that by
/// what it signs: let the key of this server have no more rights than its callers need.
///
/// ```swift
/// let signer = COSStringSigner(endpoint: try .cos(region: "ap-guangzhou"))
/// let answer = try signer.sign(order, with: key, under: SigningRules(policy), at: .now)
/// ```
public struct COSStringSigner: StringSigner {
  /// The endpoint that strings have to be for.
  public let endpoint: ServiceEndpoint

  /// The bucket of a custom domain.
  public let bucket: String?

  /// The short name of the service: `cos`.
  public var service: String { SignatureScheme.cosV5.service }

  /// Whether a request with parameters has to be allowed without them as well.
  public let checksWithoutParameters: Bool

  /// Sets up a signer.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint that strings have to be for.
  ///   - bucket: The bucket, if the endpoint is a custom domain.
  ///   - checksWithoutParameters: Whether a request with parameters has to be allowed without them as well: a list of a
  ///     prefix as a list of all keys, the end of an upload as the deletion of its object, the deletion of many objects as
  ///     an upload by form. COS does not sign the case of names, and a service may take no notice of `?PREFIX=`. Turn it
  ///     off if the service is known to read such names or to refuse them, or if the policy of the key itself is as narrow
  ///     as that of the callers.
  public init(endpoint: ServiceEndpoint, bucket: String? = nil, checksWithoutParameters: Bool = true) {
    self.endpoint = endpoint
    self.bucket = bucket
    self.checksWithoutParameters = checksWithoutParameters
  }

  /// Reads what a signature would authorize.
  ///
  /// - Parameter order: What somebody wants to have signed.
  /// - Returns: The one request that the string stands for.
  /// - Throws: A ``SigningRefusal`` if it is not, byte for byte, the string of a request to the endpoint.
  public func intent(of order: SigningOrder) throws(SigningRefusal) -> SigningIntent {
    guard order.scheme == .cosV5 else {
      throw .malformed("The version of the signature is not one that is signed here.")
    }
    guard let canonicalRequest = order.canonicalRequest else { throw .malformed("The canonical request is missing.") }
    let window = try window(of: order, canonicalRequest)
    let request = try request(order, canonicalRequest)
    var target = try target(of: request)
    let header = request.headerFields[.cosSecurityToken]
    let parameter = try target.take("x-cos-security-token")
    guard header == nil || parameter == nil else { throw .malformed("The session token is in two places.") }
    let placement: VerifiedRequest.Placement? = header != nil ? .header : parameter != nil ? .query : nil
    return SigningIntent(
      .cosV5, method: request.method, target: target, headers: request.headerFields, placement: placement,
      date: window.start, expiration: window.end, accessKeyID: nil,
      sessionToken: (header ?? parameter).map { Secret($0) }, vocabulary: .cos,
      otherTargets: checksWithoutParameters ? Self.targetsWithoutParameters(target, request.method) : [])
  }

  /// The target that is left if a service takes no notice of the parameters, because their names come in another case.
  ///
  /// A POST without its parameters does nothing, but for one to a bucket, which is an upload by form.
  private static func targetsWithoutParameters(
    _ target: RequestTarget, _ method: HTTPRequest.Method
  ) -> [RequestTarget] {
    guard !target.parameters.isEmpty, method != .post || target.key == nil else { return [] }
    return [target.withoutParameters]
  }

  /// Returns the signature of a string that is within the rules; see ``StorageAuth/StringSigner``.
  public func signature(
    of order: SigningOrder, _ intent: SigningIntent, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String {
    guard let start = intent.date, let end = intent.expiration else { throw .notCanonical }
    return COSKeyTime(from: start, until: end).signingKey(of: key).authenticationCode(for: order.stringToSign).hex
  }
}

extension SignatureScheme {
  /// COS with HMAC-SHA-1, start and end times.
  public static let cosV5 = SignatureScheme(service: "cos", version: "v5")
}

extension RequestVocabulary {
  /// The names of COS: the case of parameters is not signed, a form of the older kind carries a signature of a POST to
  /// the bucket in a field, and the date is the start of `q-sign-time`.
  static let cos = RequestVocabulary(
    headerPrefix: "x-cos-",
    harmlessHeaders: [
      "security-token", "forbid-overwrite", "storage-class", "server-side-encryption", "traffic-limit",
      "hash-crc64ecma", "date", "content-sha256",
    ],
    refusedHeaders: ["pic-operations", "ci-process"], ignoresParameterCase: true, uploadsUnsignedForms: true,
    datesWindows: true)
}
