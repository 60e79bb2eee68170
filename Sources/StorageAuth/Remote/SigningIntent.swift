public import HTTPTypes

/// What a signature would authorize, read back from the string to sign.
///
/// The headers and the parameters may hold a session token: they are not shown by `print`, `dump` or `Mirror`.
public struct SigningIntent: Sendable {
  /// How it would be signed.
  public let scheme: SignatureScheme

  /// The method.
  public let method: HTTPRequest.Method

  /// The bucket, the key and the signed parameters, without those that carry the signature itself; their names are in
  /// lower case where the service does not sign their case.
  public let target: RequestTarget

  /// The signed headers.
  public let headers: HTTPFields

  /// Where the signature would be, or `nil` if the string fits both placements.
  public let placement: VerifiedRequest.Placement?

  /// When the request is dated, or its window begins; `nil` if the string has no date.
  public let date: Timestamp?

  /// When the signature ends, where it says so.
  public let expiration: Timestamp?

  /// The id of the key that it is made for, where the string says so.
  public let accessKeyID: AccessKeyID?

  /// Every other target that a service may act on when it sees the same signature; each has to be allowed as well.
  ///
  /// A string that does not mark where its parts end has those of other requests; a service that ignores a parameter
  /// whose name comes in another case has the target without it.
  public let otherTargets: [RequestTarget]

  /// The names that the service's requests may carry.
  public let vocabulary: RequestVocabulary

  let sessionToken: Secret?

  /// Creates what was read of a string to sign; for signers of strings.
  ///
  /// - Parameters:
  ///   - scheme: How the string would be signed.
  ///   - method: The method.
  ///   - target: The bucket, the key and the signed parameters, without those that carry the signature itself.
  ///   - headers: The signed headers.
  ///   - placement: Where the signature would be; `nil` if the string fits both.
  ///   - date: When the request is dated, or its window begins; `nil` if the string has no date.
  ///   - expiration: When the signature ends, or `nil` if the string does not say.
  ///   - accessKeyID: The id of the key in the string, or `nil` if the string has none.
  ///   - sessionToken: The session token in the string, or `nil` if the string has none.
  ///   - vocabulary: The names that the service's requests may carry.
  ///   - otherTargets: Every other target that a service may act on when it sees the same signature.
  public init(
    _ scheme: SignatureScheme, method: HTTPRequest.Method, target: RequestTarget, headers: HTTPFields,
    placement: VerifiedRequest.Placement?, date: Timestamp?, expiration: Timestamp?, accessKeyID: AccessKeyID?,
    sessionToken: Secret?, vocabulary: RequestVocabulary, otherTargets: [RequestTarget] = []
  ) {
    self.scheme = scheme
    self.vocabulary = vocabulary
    self.method = method
    self.target = target
    self.headers = headers
    self.placement = placement
    self.date = date
    self.expiration = expiration
    self.accessKeyID = accessKeyID
    self.sessionToken = sessionToken
    self.otherTargets = otherTargets
  }

  /// Refuses a string that is made for another key, or another session token.
  func check(_ key: AccessKey) throws(SigningRefusal) {
    if let accessKeyID, accessKeyID != key.id { throw .anotherKey("The string names another access key id.") }
    switch (key.sessionToken, sessionToken) {
    case (nil, nil): return
    case (let expected?, let given?) where expected == given: return
    case (nil, .some): throw .anotherKey("The string holds a session token, and the key has none.")
    case (.some, nil): throw .anotherKey("The key is temporary, and the string does not hold its session token.")
    case (.some, .some): throw .anotherKey("The string holds another session token than that of the key.")
    }
  }
}

extension SigningIntent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method, the bucket and the key.
  public var description: String {
    "SigningIntent(\(scheme), \(method) \(target.bucket ?? "")/\(target.key ?? ""))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the headers and the token.
  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme, "target": target]) }
}
