// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A signer that authorizes a request with a credential.
///
/// Signing is synchronous and pure: equal inputs give equal results. If it throws, the request is unchanged.
public protocol Signer<Request, SigningCredential>: Sendable {
  /// The type of the requests that are signed: an HTTP request, or the description of a transfer.
  associatedtype Request

  /// The type of the credentials that sign requests.
  associatedtype SigningCredential: Credential

  /// Returns the time until which a credential must be valid so that the service accepts a request signed at `date`.
  ///
  /// - Parameter date: The time of signing, according to the service's clock.
  /// - Returns: The required expiration. A cache must not return a credential that expires earlier.
  func requiredValidity(from date: Timestamp) -> Timestamp

  /// Signs a request by adding an authorization to it.
  ///
  /// - Parameters:
  ///   - request: The request to sign; an earlier signature is replaced.
  ///   - credential: The credential that signs the request. An anonymous credential leaves the request unchanged.
  ///   - context: The time of signing.
  /// - Throws: A ``SigningError`` for an invalid request, credential or configuration; the request is then unchanged.
  func sign(
    _ request: inout Request, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError)
}

extension Signer {
  /// Returns the time two seconds after the signing time `date`, so that the request can reach the service.
  public func requiredValidity(from date: Timestamp) -> Timestamp { date.advanced(by: .seconds(2)) }

  /// Returns a signed copy of a request, with the parameters of ``sign(_:with:in:)``.
  ///
  /// - Throws: A ``SigningError`` if the request, the credential or the signer's configuration is invalid.
  public func signed(
    _ request: Request, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> Request {
    var request = request
    try sign(&request, with: credential, in: context)
    return request
  }
}
