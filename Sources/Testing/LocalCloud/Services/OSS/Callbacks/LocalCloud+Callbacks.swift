// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// The configuration of the callbacks that the simulated OSS service sends after uploads.
  ///
  /// The server signs callbacks with an RSA key that it generates when it starts, and publishes the public key at
  /// ``LocalCloud/callbackKeyURL``.
  ///
  /// ```swift
  /// var configuration = LocalCloud.Configuration(accounts: [.init(key)], buckets: ["photos"])
  /// configuration.callbacks = LocalCloud.Callbacks(transport: AsyncHTTPClientTransport.shared)
  /// ```
  public struct Callbacks: Sendable {
    /// The transport that sends the callbacks.
    public var transport: any HTTPTransport

    /// The hosts other than this machine that may receive callbacks, each with its port if a URL contains one.
    ///
    /// A client chooses the URL of a callback, so that a server that accepted any URL would send requests to other
    /// machines for its clients.
    public var hosts: Set<String>

    /// Creates a configuration of callbacks.
    ///
    /// - Parameters:
    ///   - transport: The transport that sends the callbacks.
    ///   - hosts: The hosts other than this machine that may receive callbacks.
    public init(transport: any HTTPTransport, hosts: Set<String> = []) {
      self.transport = transport
      self.hosts = hosts
    }
  }
}
