// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

enum NodeResponse {
  static func document(_ body: [UInt8]) throws(StorageError) -> JSONValue {
    do {
      return try JSONValue(parsing: body)
    } catch { throw StorageError.malformedResponse("it is not JSON: \(error)") }
  }

  /// Parses the response to a request for `/info`, whose settings contain the fingerprint of the host key to pin.
  static func info(_ body: [UInt8]) throws(StorageError) -> JSONValue {
    let info = try document(body)
    guard info["version"]?.string != nil || info["settings"]?.array != nil else {
      throw .malformedResponse("it has neither the version nor the settings of a node")
    }
    return info
  }

  static func elements(_ name: String, of document: JSONValue, count: Int? = nil) throws(StorageError) -> [JSONValue] {
    guard let elements = document[name]?.array else { throw .malformedResponse("it has no array \(name)") }
    guard count == nil || count == elements.count else {
      throw .malformedResponse("its array \(name) has \(elements.count) elements for \(count ?? 0) files")
    }
    return elements
  }

  static func requireChangeResponse(_ document: JSONValue) throws(StorageError) {
    guard document.object != nil || document == .null else {
      throw .malformedResponse("it is neither empty nor a JSON object")
    }
  }
}

extension NodeRefusal {
  /// The node's error message, made safe for display, or `nil` if the node gave no reason.
  var shown: String? {
    guard let text = message ?? reason, !text.isEmpty else { return nil }
    return MessageFilter().applied(to: Self.maskingAuthorization(in: text))
  }

  /// The maximum length of a word that is shown after `Basic` or `Bearer`: longer ones can be credentials.
  private static let plainWordByteLimit = 8

  /// Returns the text with long words after `Basic` or `Bearer` masked, in case a node repeats an authorization header.
  private static func maskingAuthorization(in text: String) -> String {
    var followsScheme = false
    return text.parts(between: " ").map { word in
      defer { followsScheme = ["basic", "bearer"].contains { word.asciiLowercased.hasByteSuffix($0) } }
      return followsScheme && word.utf8.count > Self.plainWordByteLimit ? Secret.mask : String(word)
    }.joined(separator: " ")
  }
}

extension ServiceError {
  /// Creates a service error, with the status of the refusal if the response itself is successful.
  init(_ refusal: NodeRefusal?, in response: HTTPResponse, subject: String) {
    var response = response
    if response.status.kind == .successful, let status = refusal?.status, (400...599).contains(status) {
      response.status = HTTPResponse.Status(code: status)
    }
    self.init(
      response, code: refusal.map { $0.code ?? $0.reason ?? "Error" }, message: refusal?.shown,
      kind: response.status == .unauthorized ? .invalidCredential : nil, subject: subject)
  }
}
