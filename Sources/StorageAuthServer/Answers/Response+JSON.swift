internal import Hummingbird
internal import NIOCore
internal import StorageJSON

extension Response {
  /// An answer that must not be cached.
  static func json(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
    json(document.serialized, status)
  }

  /// An answer that must not be cached, from JSON that is written already.
  static func json(_ document: [UInt8], _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }
}
