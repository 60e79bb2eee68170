internal import AsperaAuth
internal import Foundation
internal import NIOCore

/// Writes frames to the management port; nowhere, if nobody listens.
struct Reporter: Sendable {
  private let session = UUID().uuidString.lowercased()
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>?

  init(_ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>?) {
    self.outbound = outbound
  }

  /// Writes a frame.
  ///
  /// - Throws: A ``Failure`` if the client has gone, or if a name has a line break, which a frame cannot hold.
  func report(_ kind: ManagementFrame.Kind, _ fields: [(name: String, value: String)] = []) async throws(Failure) {
    guard let outbound else { return }
    let frame: ManagementFrame
    do {
      frame = try ManagementFrame.command(kind, fields + [("SessionId", session)])
    } catch {
      throw Failure(56, "A name holds a line break")
    }
    do {
      try await outbound.write(ByteBuffer(string: frame.text))
    } catch {
      throw .cancelled
    }
  }
}
