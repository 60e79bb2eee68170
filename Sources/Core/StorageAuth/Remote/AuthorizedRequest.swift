// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The request that a signature would authorize, parsed from the string to sign.
///
/// The headers and the parameters may contain a session token: `print`, `dump` and `Mirror` do not show them.
public struct AuthorizedRequest: Sendable {
  /// The signature scheme of the string to sign.
  public let scheme: SignatureScheme
  /// The HTTP method of the request.
  public let method: HTTPRequest.Method
  /// The bucket, the object key and the signed parameters, without the parameters of the signature itself.
  ///
  /// The parameter names are in lowercase if the service does not sign their case.
  public let target: RequestTarget
  /// The signed headers of the request.
  public let headers: HTTPFields
  /// The position of the signature (headers or URL), or `nil` if the string to sign is valid for both positions.
  public let placement: VerifiedRequest.Placement?
  /// The date of the request or the start of its validity window, or `nil` if the string to sign contains no date.
  public let date: Timestamp?
  /// The time at which the signature expires, or `nil` if the string to sign contains no expiration.
  public let expiration: Timestamp?
  /// The access key ID in the string to sign, or `nil` if the string contains no access key ID.
  public let accessKeyID: AccessKeyID?
  /// All other targets on which a service may act for the same signature; the policy must allow each of them.
  ///
  /// A string to sign without delimiters between its components is also the string to sign of other requests. A service
  /// that ignores a parameter whose name has another case acts on the target without that parameter.
  public let otherTargets: [RequestTarget]
  /// The headers and parameters that the service's requests may contain.
  public let signableNames: SignableNames
  let sessionToken: Secret?

  /// Creates an authorized request, for implementations of ``StringToSignSigner``.
  ///
  /// The parameters are the properties, and the session token in the string, or `nil` if it contains none.
  public init(
    _ scheme: SignatureScheme, method: HTTPRequest.Method, target: RequestTarget, headers: HTTPFields,
    placement: VerifiedRequest.Placement?, date: Timestamp?, expiration: Timestamp?, accessKeyID: AccessKeyID?,
    sessionToken: Secret?, signableNames: SignableNames, otherTargets: [RequestTarget] = []
  ) {
    self.scheme = scheme
    self.signableNames = signableNames
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

  /// Throws an error if the string was prepared for another access key ID or session token than those of a key.
  func requireKey(_ key: AccessKey) throws(SigningRefusal) {
    if let accessKeyID, accessKeyID != key.id { throw .anotherKey("The string contains another access key ID.") }
    switch (key.sessionToken, sessionToken) {
    case (nil, nil): return
    case (let expected?, let given?) where expected == given: return
    case (nil, .some): throw .anotherKey("The string contains a session token, and the key has none.")
    case (.some, nil): throw .anotherKey("The key is temporary, and the string does not contain its session token.")
    case (.some, .some): throw .anotherKey("The string contains another session token than that of the key.")
    }
  }
}

extension AuthorizedRequest: Redacted {
  /// The signature scheme, the HTTP method, the bucket and the object key.
  public var description: String {
    "AuthorizedRequest(\(scheme), \(method) \(target.bucket ?? "")/\(target.key ?? ""))"
  }
}

/// The headers and parameters that a service's requests may contain without changing the operation.
///
/// A ``StringToSignSigner`` returns them with the parsed request, so that one policy check applies to all services.
public struct SignableNames: Sendable {
  /// The prefix of the service's own header names, in lowercase, such as `x-oss-`.
  public var headerPrefix: String
  /// The service's own headers that change neither the operation nor its authorization, in lowercase without prefix.
  ///
  /// User metadata (`meta-`) is always harmless and is not listed.
  public var harmlessHeaders: Set<String>
  /// The lowercase names of headers without the service's prefix that change the operation, and that are thus refused.
  public var refusedHeaders: Set<String>
  /// Whether the service lowercases parameter names before signing, so that the signature does not cover their case.
  public var ignoresParameterCase: Bool
  /// Whether the service treats a POST to a bucket without parameters as a form upload with unsigned fields.
  public var uploadsUnsignedForms: Bool
  /// Whether a date is the start of a validity window, which may be long past.
  public var datesWindows: Bool
  /// Whether the service allows dots in bucket names.
  public var hasDottedBuckets: Bool

  /// Creates the names of a storage service; the parameters are the properties.
  public init(
    headerPrefix: String, harmlessHeaders: Set<String>, refusedHeaders: Set<String> = [],
    ignoresParameterCase: Bool = false, uploadsUnsignedForms: Bool = false, datesWindows: Bool = false,
    hasDottedBuckets: Bool = false
  ) {
    self.headerPrefix = headerPrefix
    self.harmlessHeaders = harmlessHeaders
    self.refusedHeaders = refusedHeaders
    self.ignoresParameterCase = ignoresParameterCase
    self.uploadsUnsignedForms = uploadsUnsignedForms
    self.datesWindows = datesWindows
    self.hasDottedBuckets = hasDottedBuckets
  }

  func isBucketName(_ name: String) -> Bool {
    hasDottedBuckets ? isBucketNameWithOrWithoutDots(name) : StorageAuth.isBucketName(name)
  }
}
