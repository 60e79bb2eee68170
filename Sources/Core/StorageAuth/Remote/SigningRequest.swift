// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A client's request to the key holder to sign a string.
///
/// The strings contain the session token in plain text, because the server needs every byte; `print`, `dump` and
/// `Mirror` do not show the strings.
public struct SigningRequest: Sendable {
  /// The signature scheme of the string to sign.
  public let scheme: SignatureScheme

  /// The HTTP method in uppercase, which must be equal to the method in the string to sign.
  public let method: String

  /// The string that the key holder is asked to sign.
  public let stringToSign: String

  /// The canonical request whose hash is part of the string to sign, or `nil` if the signature scheme has no canonical
  /// request.
  public let canonicalRequest: String?

  /// Creates a request to the key holder to sign a string.
  ///
  /// - Parameters:
  ///   - scheme: The signature scheme of the string to sign.
  ///   - method: The HTTP method in uppercase.
  ///   - stringToSign: The string to sign.
  ///   - canonicalRequest: The canonical request whose hash is part of the string to sign, or `nil` if the signature
  ///     scheme has no canonical request.
  public init(_ scheme: SignatureScheme, method: String, stringToSign: String, canonicalRequest: String? = nil) {
    self.scheme = scheme
    self.method = method
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }

  /// Creates a request to the key holder for the signature that a prepared HTTP request lacks.
  ///
  /// - Parameter pending: The HTTP request that is complete except for its signature.
  public init(_ pending: PendingSignature) {
    self.init(
      pending.scheme, method: pending.request.method.rawValue, stringToSign: pending.stringToSign,
      canonicalRequest: pending.canonicalRequest)
  }
}

extension SigningRequest: Redacted {
  /// The signature scheme and the HTTP method, with the string to sign masked.
  public var description: String {
    "SigningRequest(\(scheme), \(Self.known.contains(method) ? method : "another method"), stringToSign: \(Secret.mask))"
  }

  private static let known: Set<String> = ["GET", "HEAD", "PUT", "POST", "DELETE"]
}
