// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A signer's identity without the secret: the information that a request must contain before it is signed.
///
/// An identity is sufficient for a device whose requests are signed by a server that keeps the secret.
public struct Identity: Sendable, Equatable {
  /// The access key ID of the signer.
  public let id: AccessKeyID
  /// The session token of a temporary credential, which is part of the signed request, or `nil` for a permanent one.
  public let sessionToken: Secret?
  /// The first instant at which the credential is valid by its issuer's clock, or `nil` if it is not known.
  public let start: Timestamp?
  /// The time at which the credential expires by its issuer's clock, or `nil` if the credential does not expire.
  public let expiration: Timestamp?

  /// Creates an identity from an access key ID as a string; the parameters are the properties.
  public init(id: String, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.init(id: AccessKeyID(id), sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Creates an identity from an access key ID; the parameters are the properties.
  public init(id: AccessKeyID, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.id = id
    self.sessionToken = sessionToken
    self.start = start
    self.expiration = expiration
  }
}

extension Identity {
  /// Throws an error if the credential expires before a signature does.
  package func requireValidity(until signatureExpiration: Timestamp) throws(SigningError) {
    guard let expiration, expiration < signatureExpiration else { return }
    throw .credentialEndsFirst(expiration, required: signatureExpiration)
  }

  package func tokenField(named name: HTTPField.Name) -> HTTPField? {
    sessionToken.map { HTTPField(name: name, value: $0.reveal()) }
  }

  /// Validates the identity as ``AccessKey/check(allowsSlashInID:)`` validates a key, but without a secret.
  ///
  /// - Throws: A ``SigningError`` with the code ``SigningError/Code/invalidCredential`` for the ID or the session token.
  public func check(allowsSlashInID: Bool = false) throws(SigningError) {
    try check(idWithout: allowsSlashInID ? .all.subtracting(.slash) : .all)
  }

  /// Validates the identity for a scheme whose authorizations have the delimiters.
  package func check(idWithout delimiters: IDDelimiters) throws(SigningError) {
    if let error = CredentialValidation.validate(id: id, secret: nil, token: sessionToken) { throw error }
    if !IDDelimiters(in: id).isDisjoint(with: delimiters) { throw CredentialValidation.invalidCharacterInID }
  }
}
