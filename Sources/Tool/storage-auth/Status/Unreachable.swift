// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import SystemPackage

/// The error if a server cannot listen on an address.
struct Unreachable: Error, CustomStringConvertible {
  let address: String
  let reason: String

  var description: String {
    "The server cannot listen on \(address): \(reason). Choose another address or port; port 0 selects a free one."
  }

  /// Runs a server, and reports why it could not listen.
  static func reporting(_ host: String, _ port: Int, _ server: () async throws -> Void) async throws {
    do {
      try await server()
    } catch let error as IOError {
      throw Unreachable(address: "\(host):\(port)", reason: Errno(rawValue: error.errnoCode).description)
    } catch is SocketAddressError.UnknownHost {
      throw Unreachable(address: host, reason: "No such host")
    }
  }
}
