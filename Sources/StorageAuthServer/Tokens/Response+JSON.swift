internal import Hummingbird
internal import NIOCore
internal import StorageJSON

extension Response {
  /// An answer that nobody may keep.
  static func json(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.serialized)))
  }

  /// An answer that says why there is nothing.
  static func json(
    refusal: TokenRefusal, _ requestID: String, _ document: (TokenRefusal, String) -> JSONValue
  ) -> Response {
    var response = json(document(refusal, requestID), refusal.status)
    for field in refusal.headers where field.name != .contentType && field.name != .contentLength {
      response.headers.append(field)
    }
    if let delay = refusal.retryAfter { response.headers[.retryAfter] = delay }
    return response
  }
}
