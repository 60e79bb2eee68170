internal import HTTPTypes

/// What whoever holds no key asks the holder of the key to sign.
///
/// The texts hold the session token in clear, because the server needs every byte; they are not shown by `print`,
/// `dump` or `Mirror`.
public struct SigningRequest: Sendable {
  /// How it is to be signed.
  public let scheme: SignatureScheme

  /// The HTTP method in upper case; it is in the texts as well, and has to be the same there.
  public let method: String

  /// The text that the key has to authenticate.
  public let stringToSign: String

  /// The text whose hash is part of the string to sign, or `nil` if the scheme has none.
  public let canonicalRequest: String?

  /// Puts a request together.
  ///
  /// - Parameters:
  ///   - scheme: How it is to be signed.
  ///   - method: The HTTP method in upper case.
  ///   - stringToSign: The text that the key has to authenticate.
  ///   - canonicalRequest: The text whose hash is part of it, or `nil` if the scheme has none.
  public init(_ scheme: SignatureScheme, method: String, stringToSign: String, canonicalRequest: String? = nil) {
    self.scheme = scheme
    self.method = method
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }

  /// Asks for the signature that a prepared request lacks.
  public init(_ pending: PendingSignature) {
    self.init(
      pending.scheme, method: pending.request.method.rawValue, stringToSign: pending.stringToSign,
      canonicalRequest: pending.canonicalRequest)
  }
}

extension SigningRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme and the method; the texts are masked.
  public var description: String {
    "SigningRequest(\(scheme), \(Self.known.contains(method) ? method : "another method"), stringToSign: \(Secret.mask))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the texts.
  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme]) }

  private static let known: Set<String> = ["GET", "HEAD", "PUT", "POST", "DELETE"]
}
