/// The texts that the signature of a request covers, with session tokens in clear.
public struct SignedTexts: Sendable {
  /// The string to sign.
  public let stringToSign: String

  /// The text whose hash is part of the string to sign, for schemes that have one.
  public let canonicalRequest: String?

  /// Creates the texts of a request; for verifiers.
  ///
  /// - Parameters:
  ///   - stringToSign: The string to sign.
  ///   - canonicalRequest: The text whose hash is part of the string to sign, or `nil` if the scheme has none.
  public init(stringToSign: String, canonicalRequest: String?) {
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }
}

extension SignedTexts: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A mask.
  public var description: String { "SignedTexts(\(Secret.mask))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the texts.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
