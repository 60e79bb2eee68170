// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A token issuer that signs a bearer token for each transfer with an access key's private key.
///
/// The issuer sends no request to a service. The server identifies the files based on tags in the specification, which
/// contain the access key and the identifier of the folder or file. The clock of this machine must be accurate, because
/// the server compares the token's expiration with its own clock.
public struct BearerTokenIssuer: TokenIssuer {
  /// The issuer name that errors and events show.
  public var source: String { "bearer tokens of the access key \(maker.accessKey)" }

  private let maker: BearerTokenFactory
  private let fileID: String

  /// Creates an issuer of bearer tokens.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - userID: The user ID that the permissions on the node refer to.
  ///   - fileID: The identifier of the folder or file that the transfers access.
  ///   - key: The private key whose public key is registered with the access key.
  ///   - lifetime: The lifetime of each token, in whole seconds.
  ///   - time: The clock from which the expiration of each token is calculated.
  public init(
    accessKey: String, userID: String, fileID: String, key: NodeBearerKey, lifetime: Duration = .seconds(3_600),
    time: any SigningClock = .system
  ) {
    maker = BearerTokenFactory(
      accessKey: accessKey, userID: userID, role: NodeScope.user, key: key, lifetime: lifetime, time: time)
    self.fileID = fileID
  }

  /// Signs a bearer token, and returns it with the tags that the server requires.
  ///
  /// - Throws: A `CredentialError` if the key cannot sign a token or the lifetime is out of range.
  public func issue(for request: TokenRequest) async throws(CredentialError) -> IssuedCredential<TransferGrant> {
    let (minted, present) = try maker.token(for: source)
    do {
      let token = try AsperaToken(
        Secret(BearerText.prefix + minted.secret.reveal()), expiration: minted.claims.expiration)
      let specification = TransferSpec.naming(accessKey: maker.accessKey, fileID: fileID)
      return IssuedCredential(
        TransferGrant(token: token, specification: specification), issuerTime: present, source: source)
    } catch {
      throw CredentialError(.failed, source: source, error.message, remedy: error.remedy)
    }
  }
}

extension BearerTokenIssuer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description that contains the issuer name.
  public var description: String { "BearerTokenIssuer(\(source))" }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror that contains only the issuer name.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}

extension TokenIssuer where Self == BearerTokenIssuer {
  /// Creates a token issuer that signs a bearer token for each transfer; see ``BearerTokenIssuer``.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - userID: The user ID that the permissions on the node refer to.
  ///   - fileID: The identifier of the folder or file that the transfers access.
  ///   - key: The private key whose public key is registered with the access key.
  ///   - lifetime: The lifetime of each token, in whole seconds.
  public static func bearer(
    accessKey: String, userID: String, fileID: String, key: NodeBearerKey, lifetime: Duration = .seconds(3_600)
  ) -> BearerTokenIssuer {
    BearerTokenIssuer(accessKey: accessKey, userID: userID, fileID: fileID, key: key, lifetime: lifetime)
  }
}
