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

  /// The operations on files for the credential that is in use.
  ///
  /// Files are identified by IDs if the credential is a bearer token or if the provider has a root folder ID, and by
  /// paths otherwise.
  var files: any NodeFiles {
    get async throws {
      guard client.remoteSigner == nil else { return PathFiles(node: self) }
      let access = try await client.credential(lasting: .zero, for: nil).credential
      switch access.method {
      case .bearer: return IdentifiedFiles(node: self, access: access)
      case .accessKey, .basic:
        return provider.rootFileID == nil ? PathFiles(node: self) : IdentifiedFiles(node: self, access: access)
      }
    }
  }

  /// Calls an operation of the Node API.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - path: The path of the operation with its query, below the base URL of the Node API.
  ///   - action: The name of the operation in errors and events.
  ///   - key: The object key that the call concerns, for errors and events.
  ///   - headers: Additional header fields of the request.
  ///   - body: The JSON body of the request, or `nil` for a request without a body.
  ///   - isRepeatable: Whether the request may be sent again if the client does not know whether the node received it.
  /// - Returns: The head and the JSON body of the response. If the response has no body, `null`.
  /// - Throws: ``ServiceError`` if the node reports an error, even in a response whose status reports success.
  func call(
    _ method: HTTPRequest.Method, _ path: String, as action: String, _ key: String, headers: HTTPFields = [:],
    body: JSONValue? = nil, isRepeatable: Bool = true
  ) async throws -> (HTTPResponse, JSONValue) {
    var draft = try draft(method, path, as: action, key, headers: headers, body: body)
    draft.isRepeatable = isRepeatable
    let (response, answer) = try await client.exchange(draft)
    return (response, answer.isEmpty && response.status == .noContent ? .null : try NodeAnswer.document(answer))
  }

  /// Returns the request of an operation of the Node API; see ``call(_:_:as:_:headers:body:isRepeatable:)``.
  func draft(
    _ method: HTTPRequest.Method, _ path: String, as action: String, _ key: String, headers: HTTPFields = [:],
    body: JSONValue? = nil
  ) throws -> RequestDraft {
    let address = try provider.address.get().appending(path)
    var request = HTTPRequest(
      method: method, scheme: address.scheme, authority: address.authority, path: address.path, headerFields: headers)
    if body != nil { request.headerFields[.contentType] = "application/json" }
    request.headerFields[.accept] = "application/json"
    var draft = RequestDraft(
      request, to: try provider.endpoint, at: client.location(ofKey: key), action: action,
      body: body.map { .bytes($0.serialized) } ?? .none)
    let subject = draft.subject
    draft.errorInside = { response, body in
      NodeAnswer.refusal(in: body).map { ServiceError($0, in: response, subject: subject) }
    }
    return draft
  }

  /// Checks that a file can have an object key.
  ///
  /// - Throws: A `SigningError` if the provider's URL or root folder is invalid; ``StorageError`` if the key is
  ///   invalid.
  func check(_ key: String) throws {
    _ = try provider.address.get()
    try NodePath.check(key)
  }

  /// Returns the file or folder with a key, or `nil` if it does not exist.
  func existing(_ key: String, in files: some NodeFiles) async throws -> NodeEntry? {
    do {
      return try await files.entry(key)
    } catch let error as ServiceError where error.kind == .noSuchKey {
      return nil
    }
  }
}
