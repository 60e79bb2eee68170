public import HTTPTypes

/// Makes URLs that carry their own authorization, for people who hold no key.
public protocol Presigner<SigningCredential>: Sendable {
  /// What a URL is signed with.
  associatedtype SigningCredential: Credential

  /// Until when a credential has to live so that a URL signed at `date` works for its whole duration.
  ///
  /// - Parameters:
  ///   - date: When the URL is signed, in the service's time.
  ///   - duration: How long the URL is to work.
  /// - Returns: An instant; presigning with a credential that ends before it is refused.
  func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp

  /// Signs a URL.
  ///
  /// - Parameters:
  ///   - request: What the URL is for: method, scheme, authority, path with query, and the headers that its user has to
  ///     send. The path is only appended to.
  ///   - credential: The credential.
  ///   - duration: How long the URL works, in whole seconds from the context's date.
  ///   - context: The time of the act.
  /// - Returns: The URL and everything that its user has to know.
  /// - Throws: A ``SigningError`` if a limit of the service is exceeded, if the credential ends first, if it is
  ///   anonymous, or if the request cannot be signed.
  func presign(
    _ request: HTTPRequest, with credential: SigningCredential, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PresignedRequest
}

/// A URL that carries its own authorization.
///
/// Whoever has the URL has the right that it stands for: treat it as a secret. It is not shown by `print`, `dump` or
/// `Mirror`; ask for ``url``.
public struct PresignedRequest: Sendable, Equatable {
  /// The method that the URL is for; no other is accepted.
  public let method: HTTPRequest.Method

  /// The URL, ready to be sent.
  public let url: String

  /// The headers that have to be sent with exactly these values, because they are signed; without the host.
  public let headers: HTTPFields

  /// When the URL stops working, in the service's time.
  public let expiration: Timestamp

  /// Puts a presigned request together; for signers.
  public init(method: HTTPRequest.Method, url: String, headers: HTTPFields, expiration: Timestamp) {
    self.method = method
    self.url = url
    self.headers = headers
    self.expiration = expiration
  }
}

extension PresignedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method, the URL without its query, and the expiry.
  public var description: String {
    let visible = url.bytes(before: "?")
    let names = headers.map { $0.name.rawName }.joined(separator: ", ")
    return "PresignedRequest(\(method) \(visible)?\(Secret.mask), headers: [\(names)], expires: \(expiration))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the URL's query and the headers' values.
  public var customMirror: Mirror {
    Mirror(self, children: ["method": method.rawValue, "expiration": expiration])
  }
}
