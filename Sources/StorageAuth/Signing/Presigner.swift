// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A signer of URLs that carry their own authorization, for users and programs that hold no key.
public protocol Presigner<SigningCredential>: Sendable {
  /// The type of credential that signs a URL.
  associatedtype SigningCredential: Credential

  /// Returns the time until which a credential must be valid so that a URL signed at `date` works for its whole
  /// duration.
  ///
  /// - Parameters:
  ///   - date: The time of signing, by the service's clock.
  ///   - duration: The validity of the URL.
  /// - Returns: The required expiration; a signer refuses to presign with a credential that expires before it.
  func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp

  /// Signs a URL.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes: method, scheme, authority, path with query, and the headers that
  ///     its user must send. The signer only appends to the path.
  ///   - credential: The credential.
  ///   - duration: The validity of the URL in whole seconds from the context's date.
  ///   - context: The time of signing.
  /// - Returns: The URL, with the method, headers and expiration that its user must know.
  /// - Throws: A ``SigningError`` if a limit of the service is exceeded, if the credential is anonymous or expires
  ///   before the URL, or if the request cannot be signed.
  func presign(
    _ request: HTTPRequest, with credential: SigningCredential, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest
}

/// A URL that carries its own authorization.
///
/// The URL authorizes its bearer: treat it as a secret. `print`, `dump` and `Mirror` do not show its query; read
/// ``url``.
public struct PresignedRequest: Sendable, Equatable {
  /// The method that the URL authorizes; the service rejects any other.
  public let method: HTTPRequest.Method

  /// The URL, including the signature.
  public let url: String

  /// The headers that must be sent with exactly these values because they are signed, without the host.
  public let headers: HTTPFields

  /// The time at which the URL expires, by the service's clock.
  public let expiration: Timestamp

  /// Creates a presigned request; for implementations of signers.
  ///
  /// - Parameters:
  ///   - method: The method that the URL authorizes.
  ///   - url: The URL, including the signature.
  ///   - headers: The headers that must be sent with exactly these values, without the host.
  ///   - expiration: The time at which the URL expires, by the service's clock.
  public init(method: HTTPRequest.Method, url: String, headers: HTTPFields, expiration: Timestamp) {
    self.method = method
    self.url = url
    self.headers = headers
    self.expiration = expiration
  }
}

extension PresignedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method, the URL without its query, the header names and the expiration.
  public var description: String {
    let visible = url.bytes(before: "?")
    let names = headers.map { $0.name.rawName }.joined(separator: ", ")
    return "PresignedRequest(\(method) \(visible)?\(Secret.mask), headers: [\(names)], expires: \(expiration))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the URL's query and the header values.
  public var customMirror: Mirror {
    Mirror(self, children: ["method": method.rawValue, "expiration": expiration])
  }
}
