// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A request's string to sign and canonical request, with session tokens in plain text.
public struct SignedTexts: Sendable {
  /// The string to sign of the request.
  public let stringToSign: String

  /// The canonical request whose hash is part of the string to sign, or `nil` if the scheme has none.
  public let canonicalRequest: String?

  /// Creates the pair of a request's string to sign and canonical request, for implementations of verifiers.
  ///
  /// The parameters are the properties.
  public init(stringToSign: String, canonicalRequest: String?) {
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }
}

extension SignedTexts: Redacted {
  /// A description with a mask in place of the strings.
  public var description: String { "SignedTexts(\(Secret.mask))" }
}
