// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import NIOCore

/// A reporter that writes frames to the management port, or discards them if the command line specifies no port.
struct Reporter: Sendable {
  /// The ID of the session, which every frame contains.
  let session = UUID().uuidString.lowercased()
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>?

  init(_ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>?) {
    self.outbound = outbound
  }

  /// Writes a frame to the management port.
  ///
  /// - Throws: A ``Failure`` if the client has closed the connection, or if a field contains a line break, which a
  ///   frame cannot contain.
  func report(_ kind: ManagementFrame.Kind, _ fields: [(name: String, value: String)] = []) async throws(Failure) {
    guard let outbound else { return }
    let frame: ManagementFrame
    do {
      frame = try ManagementFrame.command(kind, fields + [("SessionId", session)])
    } catch {
      throw Failure(56, "A name has a line break or a NUL in it")
    }
    do {
      try await outbound.write(ByteBuffer(string: frame.text))
    } catch {
      throw .cancelled
    }
  }
}
