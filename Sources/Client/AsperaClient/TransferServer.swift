// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

/// The address of the server that carries out an Aspera node's transfers, as far as the caller specifies it.
///
/// A node that is called with Basic authorization specifies the server in its responses. With a bearer token, the server
/// is the host of the node's URL, with the default ports. What the caller specifies is used in place of both, and is
/// also sent to the node when a transfer is set up. The fingerprint of the host key that the node specifies must still
/// be that of the server.
public struct TransferServer: Sendable, Equatable {
  /// The name or the IP address of the server, or `nil` to use the host that the node specifies.
  public var host: String?

  /// The TCP port for SSH, or `nil` to use the port that the node specifies, or else 33001.
  public var sshPort: Int?

  /// The UDP port for data, or `nil` to use the port that the node specifies, or else 33001.
  public var udpPort: Int?

  /// The fingerprint that the server's host key must have, or `nil` to use the fingerprint that the node specifies.
  public var hostKey: HostKeyFingerprint?

  /// Creates the address of a transfer server.
  ///
  /// - Parameters:
  ///   - host: The name or the IP address of the server, or `nil` to use the host that the node specifies.
  ///   - sshPort: The TCP port for SSH, or `nil` to use the port that the node specifies, or else 33001.
  ///   - udpPort: The UDP port for data, or `nil` to use the port that the node specifies, or else 33001.
  ///   - hostKey: The fingerprint that the server's host key must have, or `nil` to use the fingerprint that the node
  ///     specifies.
  public init(host: String? = nil, sshPort: Int? = nil, udpPort: Int? = nil, hostKey: HostKeyFingerprint? = nil) {
    self.host = host
    self.sshPort = sshPort
    self.udpPort = udpPort
    self.hostKey = hostKey
  }
}

/// A token issuer whose credentials name the server that the caller specifies in place of the server that a node specifies.
///
/// A node does not need to return the host and the ports that a request contains.
struct ServerNamingIssuer<Base: TokenIssuer>: TokenIssuer {
  let base: Base
  let server: TransferServer

  var source: String { base.source }

  func issue(
    for request: TokenRequest, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<TransferCredential> {
    let issued = try await base.issue(for: request, in: context)
    guard var specification = issued.credential.specification else { return issued }
    if let host = server.host { specification.remoteHost = host }
    if let port = server.sshPort { specification.sshPort = port }
    if let port = server.udpPort { specification.udpPort = port }
    let credential = TransferCredential(
      token: issued.credential.token, specification: specification, expiration: issued.credential.expiration)
    return IssuedCredential(credential, issuerTime: issued.issuerTime, source: issued.source)
  }
}
