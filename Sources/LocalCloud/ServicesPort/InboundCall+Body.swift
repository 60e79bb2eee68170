internal import HummingbirdCore
internal import NIOCore

extension InboundCall {
  private static let byteLimit = 256 * 1024

  /// The body of a request; nothing if it is longer than any service takes.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: How many bytes are too many, where that is not the limit of the services.
  static func body(of request: Request, limit: Int = byteLimit) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    for try await chunk in request.body {
      guard bytes.count + chunk.readableBytes <= limit else { return nil }
      bytes += chunk.readableBytesView
    }
    return bytes
  }
}
