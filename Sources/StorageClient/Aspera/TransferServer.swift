// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth

/// The address of the server that carries out an Aspera node's transfers, as far as the caller specifies it.
///
/// A node that is called with Basic authorization specifies the server in its responses. With a bearer token, the server
/// is the host of the node's URL, with the default ports, unless the caller specifies it.
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
  public init(
    host: String? = nil, sshPort: Int? = nil, udpPort: Int? = nil, hostKey: HostKeyFingerprint? = nil
  ) {
    self.host = host
    self.sshPort = sshPort
    self.udpPort = udpPort
    self.hostKey = hostKey
  }
}
