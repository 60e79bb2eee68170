internal import AsperaAuth
internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// What the Node API answers.
enum NodeAnswer {
  /// Reads an answer.
  static func document(_ body: [UInt8]) throws(StorageError) -> JSONValue {
    do {
      return try JSONValue(parsing: body)
    } catch {
      throw StorageError.malformedAnswer("it is not JSON: \(error)")
    }
  }

  /// What the node says that it refused; nothing if it says nothing.
  static func refusal(in body: [UInt8]) -> NodeRefusal? {
    (try? JSONValue(parsing: body)).flatMap { NodeRefusal(of: $0) }
  }
}

extension NodeRefusal {
  /// What the node says, fit to be shown.
  var shown: String? {
    guard let text = message ?? reason, !text.isEmpty else { return nil }
    return ServiceText().shown(Self.maskingAuthorization(in: text))
  }

  /// The text with what follows the words of an authorization masked, should a node repeat it.
  private static func maskingAuthorization(in text: String) -> String {
    var isSecret = false
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      defer { isSecret = ["basic", "bearer"].contains { word.lowercased().hasSuffix($0) } }
      return isSecret && word.count > 8 ? Secret.mask : String(word)
    }.joined(separator: " ")
  }
}

extension ServiceError {
  /// Reads what a node refused: in the answer, or in one of its elements, whose code is a status of its own.
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
