// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The time limits of a transport for connections and requests.
public struct HTTPTimeouts: Sendable, Hashable {
  /// The time limit for establishing a connection.
  public var connect: Duration

  /// The time limit for a connection on which no bytes are sent or received.
  public var idle: Duration

  /// The time limit from the start of a request to the head of its response, or `nil` for no limit.
  ///
  /// The limit includes the time for sending the body.
  public var request: Duration?

  /// Creates the time limits of a transport.
  ///
  /// - Parameters:
  ///   - connect: The time limit for establishing a connection.
  ///   - idle: The time limit for a connection on which no bytes are sent or received.
  ///   - request: The time limit from the start of a request to the head of its response, or `nil` for no limit.
  public init(connect: Duration = .seconds(10), idle: Duration = .seconds(60), request: Duration? = nil) {
    self.connect = connect
    self.idle = idle
    self.request = request
  }
}

/// The certificate authorities that a transport trusts.
///
/// ```swift
/// let transport = try AsyncHTTPClientTransport(proxy: .direct, trustedRoots: .file("/etc/ssl/private-ca.pem"))
/// ```
public struct TrustedRoots: Sendable, Hashable {
  /// The path of a PEM file with the certificates of authorities, or `nil` if there is none.
  package let path: String?

  /// Whether the authorities of the system are trusted.
  package let includesSystem: Bool

  private init(path: String?, includesSystem: Bool) {
    self.path = path
    self.includesSystem = includesSystem
  }

  /// The authorities that the system trusts.
  public static let system = TrustedRoots(path: nil, includesSystem: true)

  /// Returns the authorities of a file, in place of those of the system.
  ///
  /// - Parameter path: The path of a PEM file with one certificate or several.
  public static func file(_ path: String) -> TrustedRoots { TrustedRoots(path: path, includesSystem: false) }

  /// Returns the authorities of the system and those of a file.
  ///
  /// - Parameter path: The path of a PEM file with one certificate or several.
  public static func systemAndFile(_ path: String) -> TrustedRoots { TrustedRoots(path: path, includesSystem: true) }
}
