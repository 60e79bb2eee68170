// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A request to the key holder to sign a string.
///
/// The strings contain the session token in plain text, because the server needs every byte; `print`, `dump` and
/// `Mirror` do not show them.
public struct SigningRequest: Sendable {
  /// The signature scheme.
  public let scheme: SignatureScheme

  /// The HTTP method in upper case; the strings contain it as well, and both must be equal.
  public let method: String

  /// The string to sign.
  public let stringToSign: String

  /// The canonical request, whose hash is part of the string to sign, or `nil` if the scheme has none.
  public let canonicalRequest: String?

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - scheme: The signature scheme.
  ///   - method: The HTTP method in upper case.
  ///   - stringToSign: The string to sign.
  ///   - canonicalRequest: The canonical request, whose hash is part of the string to sign, or `nil` if the scheme has
  ///     none.
  public init(_ scheme: SignatureScheme, method: String, stringToSign: String, canonicalRequest: String? = nil) {
    self.scheme = scheme
    self.method = method
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }

  /// Creates a request for the signature that a prepared request lacks.
  ///
  /// - Parameter pending: The prepared request.
  public init(_ pending: PendingSignature) {
    self.init(
      pending.scheme, method: pending.request.method.rawValue, stringToSign: pending.stringToSign,
      canonicalRequest: pending.canonicalRequest)
  }
}

extension SigningRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme and the method; the strings are masked.
  public var description: String {
    "SigningRequest(\(scheme), \(Self.known.contains(method) ? method : "another method"), stringToSign: \(Secret.mask))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the strings.
  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }

  private static let known: Set<String> = ["GET", "HEAD", "PUT", "POST", "DELETE"]
}
