/// Authorizes one request with one credential.
///
/// Signing is synchronous and pure: the same request, credential and context give the same result. It is atomic: where
/// it throws, the request is as it was.
public protocol Signer<Request, SigningCredential>: Sendable {
  /// What is signed: an HTTP request, or the description of a transfer.
  associatedtype Request

  /// What it is signed with.
  associatedtype SigningCredential: Credential

  /// Until when a credential has to live so that a request signed at `date` is accepted.
  ///
  /// - Parameter date: When the request is signed, in the service's time.
  /// - Returns: An instant; a cache must not hand out a credential that ends before it.
  func requiredValidity(from date: Timestamp) -> Timestamp

  /// Signs a request.
  ///
  /// - Parameters:
  ///   - request: The request; what the signature needs is added, what an earlier signature left is replaced.
  ///   - credential: The credential; an anonymous one leaves the request as it is.
  ///   - context: The time of the act.
  /// - Throws: A ``SigningError`` if the request, the credential or the signer itself cannot be used; the request is
  ///   untouched then.
  func sign(_ request: inout Request, with credential: SigningCredential, in context: SigningContext)
    throws(SigningError)
}

extension Signer {
  /// A signed copy of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - credential: The credential.
  ///   - context: The time of the act.
  /// - Returns: The request with its authorization.
  /// - Throws: A ``SigningError`` if the request, the credential or the signer itself cannot be used.
  public func signed(
    _ request: Request, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> Request {
    var request = request
    try sign(&request, with: credential, in: context)
    return request
  }
}
