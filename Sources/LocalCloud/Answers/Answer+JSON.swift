internal import HTTPTypes
internal import StorageJSON

extension Answer {
  /// An answer that is a JSON document; one of the SDKs reads no error from any other spelling of the type.
  init(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) {
    self.init(
      status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .bytes(document.serialized))
  }
}
