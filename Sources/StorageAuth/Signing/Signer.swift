/// Authorizes one request with one credential.
///
/// Signing is synchronous and pure: the same request, proof and context give the same result. It is atomic: where it
/// throws, the request is as it was.
public protocol Signer<Request, Proof>: Sendable {
  /// What is signed: an HTTP request, or the description of a transfer.
  associatedtype Request

  /// What it is signed with.
  associatedtype Proof: Credential

  /// Until when a proof has to live so that a request signed at `date` is accepted.
  ///
  /// - Parameter date: When the request is signed, in the service's time.
  /// - Returns: An instant; a cache must not hand out a proof that ends before it.
  func requiredValidity(from date: Timestamp) -> Timestamp

  /// Signs a request.
  ///
  /// - Parameters:
  ///   - request: The request; what the signature needs is added, what an earlier signature left is replaced.
  ///   - proof: The credential; an anonymous one leaves the request as it is.
  ///   - context: The time of the act.
  /// - Throws: A ``SigningError`` if the request, the proof or the signer itself cannot be used; the request is
  ///   untouched then.
  func sign(_ request: inout Request, with proof: Proof, in context: SigningContext) throws(SigningError)
}

extension Signer {
  /// A signed copy of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - proof: The credential.
  ///   - context: The time of the act.
  /// - Returns: The request with its authorization.
  /// - Throws: A ``SigningError`` if the request, the proof or the signer itself cannot be used.
  public func signed(
    _ request: Request, with proof: Proof, in context: SigningContext
  ) throws(SigningError) -> Request {
    var request = request
    try sign(&request, with: proof, in: context)
    return request
  }
}
