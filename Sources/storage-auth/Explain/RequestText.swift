internal import ArgumentParser
internal import HTTPTypes
internal import StorageJSON

/// A request that was written down: a line for curl, or an object of JSON.
enum RequestText {
  /// Reads a request.
  ///
  /// The object has `method`, `url`, and `headers` as an object or as an array of pairs.
  static func request(_ text: String) throws -> HTTPRequest {
    guard text.first(where: { !$0.isWhitespace }) == "{" else { return try CurlLine(text).request }
    guard let object = (try? JSONValue(parsing: Array(text.utf8)))?.object else {
      throw ValidationError("The request is no object of JSON.")
    }
    var headers: [String] = []
    for pair in object["headers"]?.array ?? [] {
      guard let name = pair[0]?.text, let value = pair[1]?.text else {
        throw ValidationError("The headers are no array of pairs.")
      }
      headers.append("\(name): \(value)")
    }
    if let fields = object["headers"]?.object {
      for (name, value) in fields { headers.append("\(name): \(value.text ?? "")") }
    }
    return try HTTPRequest(method: object["method"]?.text, url: object["url"]?.text, headers: headers)
  }
}
