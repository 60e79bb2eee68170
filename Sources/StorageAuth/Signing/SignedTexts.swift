// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The string to sign and the canonical request of a request, with session tokens in plain text.
public struct SignedTexts: Sendable {
  /// The string to sign.
  public let stringToSign: String

  /// The canonical request, whose hash is part of the string to sign, or `nil` if the scheme has none.
  public let canonicalRequest: String?

  /// Creates the strings of a request; for implementations of verifiers.
  ///
  /// - Parameters:
  ///   - stringToSign: The string to sign.
  ///   - canonicalRequest: The canonical request, whose hash is part of the string to sign, or `nil` if the scheme has
  ///     none.
  public init(stringToSign: String, canonicalRequest: String?) {
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }
}

extension SignedTexts: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description in which the strings are masked.
  public var description: String { "SignedTexts(\(Secret.mask))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the strings.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
