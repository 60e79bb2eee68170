// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A presigner of URLs that differ only in their objects' keys, such as the links of a page or of a list.
///
/// What the URLs have in common is checked, derived, encoded and hashed once, when the object presigner is created:
///
/// ```swift
/// let request = try ServiceEndpoint.oss(region: "cn-hangzhou").request(.get, bucket: "photos")
/// let presigner = try signer.presigner(for: request, with: key, validFor: .seconds(1800), in: .now)
/// let links = try names.map { try presigner.presign($0).url }
/// ```
///
/// Each result is equal to that of ``Presigner/presign(_:with:validFor:in:)`` for a request with the object's path. An
/// object presigner can create URLs until ``expiration``: like a key, it is a secret.
public struct ObjectPresigner: Sendable {
  private let source: any ObjectURLSource

  /// The HTTP method that the URLs authorize; the service rejects any other method.
  public var method: HTTPRequest.Method { source.method }
  /// The signed headers, except `Host`, which a request that uses a URL must send with exactly these values.
  public var headers: HTTPFields { source.headers }
  /// The time at which the presigned URLs expire, according to the service's clock.
  public var expiration: Timestamp { source.expiration }

  /// Creates a presigner of URLs with prepared parts.
  ///
  /// - Parameters:
  ///   - text: The signed text before and after the object's key.
  ///   - url: The URL before the object's key, and from there to the signature, which ends it.
  ///   - questionMarkError: The error for a key with a question mark, or `nil` if a key may contain one.
  package init(
    _ scheme: ObjectSignatureScheme, text: SignedFrame, url: SignedFrame, method: HTTPRequest.Method,
    headers: HTTPFields, expiration: Timestamp, questionMarkError: SigningError? = nil
  ) {
    source = PreparedObjectURLs(
      scheme, text: text, url: url, method: method, headers: headers, expiration: expiration,
      questionMarkError: questionMarkError)
  }

  fileprivate init(_ source: any ObjectURLSource) { self.source = source }

  /// Creates a presigned URL for an object.
  ///
  /// - Parameter key: The object's key, or its rest after the path of the presigner's request, not percent-encoded.
  /// - Returns: The URL, with the method, headers and expiration that the URL's user must know.
  /// - Throws: A ``SigningError`` if the key is empty, or if the service could read the URL as another object's.
  public func presign(_ key: String) throws(SigningError) -> PresignedRequest {
    if key.isEmpty { throw .emptyKey }
    return try source.presign(key)
  }
}

extension ObjectPresigner: Redacted {
  /// The HTTP method, the names of the headers and the expiration of the URLs.
  public var description: String {
    let names = headers.map { $0.name.rawName }.joined(separator: ", ")
    return "ObjectPresigner(\(method), headers: [\(names)], expires: \(expiration))"
  }
}

/// The URLs of an object presigner, from prepared parts or from a presigner of single requests.
protocol ObjectURLSource: AnyObject, Sendable {
  var method: HTTPRequest.Method { get }
  var headers: HTTPFields { get }
  var expiration: Timestamp { get }
  func presign(_ key: String) throws(SigningError) -> PresignedRequest
}

/// A source of URLs that presigns a request for each object, for signers that prepare no common parts.
private final class UnpreparedObjectURLs: ObjectURLSource {
  typealias RequestPresigner = @Sendable (HTTPRequest) throws(SigningError) -> PresignedRequest

  private let request: HTTPRequest
  private let path: ObjectPath
  private let presignRequest: RequestPresigner
  let headers: HTTPFields
  let expiration: Timestamp

  init(for request: HTTPRequest, presigningEach presignRequest: @escaping RequestPresigner) throws(SigningError) {
    self.request = request
    self.presignRequest = presignRequest
    path = try ObjectPath(of: request)
    // The headers and the expiration are the same for each key.
    let example = try presignRequest(path.request("object", like: request))
    headers = example.headers
    expiration = example.expiration
  }

  var method: HTTPRequest.Method { request.method }

  func presign(_ key: String) throws(SigningError) -> PresignedRequest {
    try presignRequest(path.request(key, like: request))
  }
}

extension Presigner {
  /// Creates a presigner of URLs that differ only in their objects' keys, which presigns a request for each object.
  ///
  /// The signers of OSS, COS and S3 prepare instead what the URLs have in common.
  ///
  /// - Throws: The errors of the requirement, which describes the parameters, except that for a missing bucket name.
  public func presigner(
    for request: HTTPRequest, with credential: SigningCredential, validFor duration: Duration,
    in context: SigningContext
  ) throws(SigningError) -> ObjectPresigner {
    let source = try UnpreparedObjectURLs(for: request) { objectRequest throws(SigningError) in
      try presign(objectRequest, with: credential, validFor: duration, in: context)
    }
    return ObjectPresigner(source)
  }
}
