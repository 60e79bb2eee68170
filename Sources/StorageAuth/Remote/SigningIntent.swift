public import HTTPTypes

/// What a signature would authorize, read back from the string to sign.
///
/// The headers and the parameters may hold a session token: they are not shown by `print`, `dump` or `Mirror`.
public struct SigningIntent: Sendable {
  /// How it would be signed.
  public let scheme: SignatureScheme

  /// The method.
  public let method: HTTPRequest.Method

  /// The bucket, the key and the signed parameters, without those that carry the signature itself; those of COS have
  /// their names in lower case, because their case is not signed.
  public let target: RequestTarget

  /// The signed headers.
  public let headers: HTTPFields

  /// Where the signature would be; nothing if the string fits both.
  public let placement: VerifiedRequest.Placement?

  /// When the request is dated, or its window begins; nothing for a URL of OSS V1.
  public let date: Timestamp?

  /// When the signature ends, where it says so.
  public let expiration: Timestamp?

  /// The id of the key that it is made for, where the string says so.
  public let accessKeyID: AccessKeyID?

  /// Every other target that a service may act on when it sees the same signature; each has to be allowed as well.
  ///
  /// Those of OSS V1 are of other requests that have the same string, the one of COS has no parameters.
  public let otherTargets: [RequestTarget]

  let sessionToken: Secret?

  package init(
    _ scheme: SignatureScheme, method: HTTPRequest.Method, target: RequestTarget, headers: HTTPFields,
    placement: VerifiedRequest.Placement?, date: Timestamp?, expiration: Timestamp?, accessKeyID: AccessKeyID?,
    sessionToken: Secret?, otherTargets: [RequestTarget] = []
  ) {
    self.scheme = scheme
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
