/// The texts that the signature of a request covers, with session tokens in clear.
package struct SignedTexts: Sendable {
  /// The string to sign.
  package let stringToSign: String

  /// The text whose hash is part of the string to sign, for schemes that have one.
  package let canonicalRequest: String?

  package init(stringToSign: String, canonicalRequest: String?) {
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }
}

extension SignedTexts: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A mask.
  package var description: String { "SignedTexts(\(Secret.mask))" }

  /// The same as ``description``.
  package var debugDescription: String { description }

  /// A mirror without the texts.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
