internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The operations of a node.
struct NodeClient: ObjectStore {
  let client: StorageClient<AsperaProvider>

  var provider: AsperaProvider { client.provider }

  /// Calls the Node API.
  ///
  /// - Parameters:
  ///   - action: What the call does: the last part of its path below `/files`.
  ///   - key: What it is about, for errors and events.
  ///   - body: What the node is told.
  /// - Returns: The answer.
  /// - Throws: ``ServiceError``, also for an error that the node put into an answer whose status says success.
  func call(_ action: String, _ key: String, _ body: JSONValue) async throws -> (HTTPResponse, JSONValue) {
    let address = try provider.address.get().appending("/files/\(action)")
    var request = HTTPRequest(
      method: .post, scheme: address.scheme, authority: address.authority, path: address.path)
    request.headerFields[.contentType] = "application/json"
    request.headerFields[.accept] = "application/json"
    var draft = RequestDraft(
      request, to: try provider.endpoint, at: client.location(ofKey: key), action: action,
      body: .bytes(body.serialized))
    let subject = draft.subject
    draft.errorInside = { response, body in
      NodeAnswer.refusal(in: body).map { ServiceError($0, in: response, subject: subject) }
    }
    let (response, answer) = try await client.exchange(draft)
    return (response, try NodeAnswer.document(answer))
  }

  /// The path of a file.
  ///
  /// - Throws: A `SigningError` for a node that was named in a way that cannot be used, ``StorageError`` for a key that no
  ///   file has.
  func path(_ key: String) throws -> String {
    _ = try provider.address.get()
    return try NodePath.file(key, below: provider.root)
  }
}
