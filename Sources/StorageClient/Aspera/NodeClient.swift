// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The implementation of the object store operations for an Aspera node.
struct NodeClient: ObjectStore {
  let client: StorageClient<AsperaProvider>

  var provider: AsperaProvider { client.provider }

  /// Calls a file operation of the Node API.
  ///
  /// - Parameters:
  ///   - action: The name of the operation: the last component of the URL path, after `/files`.
  ///   - key: The object key that the call concerns, for errors and events.
  ///   - body: The JSON body of the request.
  /// - Returns: The head and the JSON body of the response.
  /// - Throws: ``ServiceError`` if the node reports an error, even in a response whose status reports success.
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

  /// Returns the path on the node for an object key.
  ///
  /// - Throws: A `SigningError` if the provider's URL or root folder is invalid; ``StorageError`` if the key is
  ///   invalid.
  func path(_ key: String) throws -> String {
    _ = try provider.address.get()
    return try NodePath.file(key, below: provider.root)
  }
}
