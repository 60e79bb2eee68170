internal import HTTPTypes
internal import StorageJSON

extension Answer {
  /// An answer that is a JSON document; SDKs of Tencent Cloud read no error from any other spelling of the type.
  init(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) {
    self.init(
      status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .bytes(document.serialized))
  }
}
