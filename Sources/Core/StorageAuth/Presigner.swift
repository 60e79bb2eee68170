// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A signer that creates presigned URLs, which contain their own authorization, for users that hold no key.
public protocol Presigner<SigningCredential>: Sendable {
  /// The type of the credentials that sign URLs.
  associatedtype SigningCredential: Credential

  /// Returns the time until which a credential must be valid so that a presigned URL works for its whole duration.
  ///
  /// - Parameters:
  ///   - date: The time of signing, according to the service's clock.
  ///   - duration: The validity period of the URL.
  /// - Returns: The required expiration. A signer refuses to presign with a credential that expires earlier.
  func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp

  /// Creates a presigned URL for a request.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes: method, scheme, authority, path with query, and the headers that
  ///     the URL's user must send. The signer only appends to the path.
  ///   - credential: The credential that signs the URL.
  ///   - duration: The validity period of the URL in whole seconds, counted from the context's date.
  ///   - context: The time of signing.
  /// - Returns: The URL, with the method, headers and expiration that the URL's user must know.
  /// - Throws: A ``SigningError`` if a limit of the service is exceeded, if the credential is anonymous or expires
  ///   before the URL, or if the request cannot be signed.
  func presign(
    _ request: HTTPRequest, with credential: SigningCredential, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest

  /// Creates a presigner of URLs that differ only in their objects' keys.
  ///
  /// - Parameters:
  ///   - request: The request that the URLs authorize. Its path ends with a slash, after which the keys are inserted.
  ///   - credential: The credential that signs the URLs.
  ///   - duration: The validity period of the URLs in whole seconds, counted from the context's date.
  ///   - context: The time of signing.
  /// - Throws: The errors of ``presign(_:with:validFor:in:)`` that do not depend on a key, and a ``SigningError`` if
  ///   the path does not end with a slash, or does not contain the bucket name although the host does not either.
  func presigner(
    for request: HTTPRequest, with credential: SigningCredential, validFor duration: Duration,
    in context: SigningContext
  ) throws(SigningError) -> ObjectPresigner
}

extension Presigner {
  /// Returns the time at which the URL expires; the parameters are those of the requirement.
  public func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    date.advanced(by: duration)
  }
}

/// A presigned URL, which contains its own authorization, with the method and the headers to send.
///
/// The URL authorizes its bearer: it is a secret. `print`, `dump` and `Mirror` do not show its query; read ``url``.
public struct PresignedRequest: Sendable, Equatable {
  /// The HTTP method that the URL authorizes; the service rejects any other method.
  public let method: HTTPRequest.Method
  /// The presigned URL, including the signature.
  public let url: String
  /// The signed headers, except `Host`, which a request that uses the URL must send with exactly these values.
  public let headers: HTTPFields
  /// The time at which the presigned URL expires, according to the service's clock.
  public let expiration: Timestamp

  /// Creates a presigned request, for implementations of ``Presigner``; the parameters are the properties.
  public init(method: HTTPRequest.Method, url: String, headers: HTTPFields, expiration: Timestamp) {
    self.method = method
    self.url = url
    self.headers = headers
    self.expiration = expiration
  }
}

extension PresignedRequest: Redacted {
  /// The presigned request's method, URL without the query, header names and expiration.
  public var description: String {
    let urlWithoutQuery = url.bytes(before: "?")
    let names = headers.map { $0.name.rawName }.joined(separator: ", ")
    return "PresignedRequest(\(method) \(urlWithoutQuery)?\(Secret.mask), headers: [\(names)], expires: \(expiration))"
  }
}
