// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A signer of requests with one credential at one time, such as the requests that a client sends within a second.
///
/// What the signatures have in common is checked, derived, encoded and hashed once, when the signer is prepared:
///
/// ```swift
/// let prepared = try signer.preparedSigner(with: key, in: .now)
/// for index in requests.indices { try prepared.sign(&requests[index]) }
/// ```
///
/// Each result is equal to that of the signer itself at ``date``. A service accepts a signature for some minutes after
/// that time. Like a key, a prepared signer is a secret.
public struct PreparedSigner: Sendable {
  /// A function that returns the fields of a request with those of a signature.
  package typealias FieldSigner = @Sendable (HTTPRequest, FieldDraft.Additions) throws(SigningError) -> FieldDraft

  /// The time of the signatures, according to the service's clock.
  public let date: Timestamp
  private let signedFields: FieldSigner?

  /// Creates a prepared signer; without a function, as for an anonymous credential, it leaves requests unsigned.
  package init(date: Timestamp, signedFields: FieldSigner?) {
    self.date = date
    self.signedFields = signedFields
  }

  /// Returns the header fields that authorize a request, which is neither copied nor changed.
  ///
  /// - Parameter request: The request to sign, without the field of a session token if the credential has none.
  /// - Returns: The names and values in the order to set them; each replaces all fields of its name.
  /// - Throws: A ``SigningError`` if the request is invalid.
  public func fields(for request: HTTPRequest) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    guard let signedFields else { return [] }
    return try signedFields(request, .apart).authorization()
  }

  /// Returns the header fields that authorize a request of any library, as for an `HTTPRequest`.
  ///
  /// - Throws: A ``SigningError`` if the request is invalid.
  public func fields(
    for request: some SignableRequest
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    try fields(for: HTTPRequest(request))
  }

  /// Signs a request by adding an authorization to it.
  ///
  /// - Parameter request: The request to sign; an earlier signature is replaced.
  /// - Throws: A ``SigningError`` for an invalid request, which is then unchanged.
  public func sign(_ request: inout HTTPRequest) throws(SigningError) {
    guard let signedFields else { return }
    request.headerFields = try signedFields(request, .joined).fields
  }
}

extension PreparedSigner: Redacted {
  /// The time of the signatures.
  public var description: String { "PreparedSigner(date: \(date))" }
}

extension HeaderSigner {
  /// Creates a signer of requests with one credential at one time, which signs each request anew.
  ///
  /// The signers of OSS, COS and S3 prepare instead what the signatures have in common.
  ///
  /// - Throws: No error here; each request throws those of the requirement, which also describes the parameters.
  public func preparedSigner(
    with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> PreparedSigner {
    PreparedSigner(date: context.date) { request, additions throws(SigningError) in
      switch additions {
      case .joined: return FieldDraft(try signed(request, with: credential, in: context).headerFields)
      case .apart:
        var draft = FieldDraft([:], .apart)
        for (name, value) in try fields(for: request, with: credential, in: context) { draft.set(value, named: name) }
        return draft
      }
    }
  }
}
