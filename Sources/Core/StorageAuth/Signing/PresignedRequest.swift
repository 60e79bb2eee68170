// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

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

  /// Creates a presigned request; for implementations of ``Presigner``.
  ///
  /// - Parameters:
  ///   - method: The HTTP method that the URL authorizes.
  ///   - url: The presigned URL, including the signature.
  ///   - headers: The signed headers, except `Host`, which must be sent with exactly these values.
  ///   - expiration: The time at which the URL expires, according to the service's clock.
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
    let visible = url.bytes(before: "?")
    let names = headers.map { $0.name.rawName }.joined(separator: ", ")
    return "PresignedRequest(\(method) \(visible)?\(Secret.mask), headers: [\(names)], expires: \(expiration))"
  }
}
