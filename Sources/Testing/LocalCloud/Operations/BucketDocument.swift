// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A kind of document that clients store with a bucket, such as its lifecycle rules.
///
/// The server checks the root element, stores the bytes and returns them. Only two documents have an effect: the rules
/// for requests of web pages, and the policy.
struct BucketDocument: Sendable {
  /// The name of the query parameter that selects the document.
  let parameter: String

  /// The name of the document in the names of actions, after the verb: `BucketLifecycle`.
  let subject: String

  let format: Format
  let unset: Unset
  let deletion: Deletion

  enum Format: Sendable {
    /// An XML document with a root element.
    case xml(String)
    /// The rules for requests of web pages, which are applied.
    case crossOriginRules
    /// A policy in JSON, which is evaluated; the code of the error response to a policy that cannot be.
    case policy(malformed: String)
  }

  /// The response to a request for the document while there is none.
  enum Unset: Sendable {
    case error(String)
    /// A document with these elements.
    case document([XMLNode])
    /// The error code for documents that have IDs, the root element of their list, and the parameter with the ID.
    case list(error: String, root: String, id: ByteExactString, canBeEmpty: Bool = true)
  }

  /// How the document is deleted: not at all, with its own action, or with the action that also changes it.
  enum Deletion: Sendable {
    case none, own, asChange
  }

  init(
    _ parameter: String, _ subject: String, _ format: Format, unset: Unset, deletion: Deletion = .own
  ) {
    self.parameter = parameter
    self.subject = subject
    self.format = format
    self.unset = unset
    self.deletion = deletion
  }

  /// The name of the query parameter with the document's ID, or `nil` if a bucket has only one such document.
  var idParameter: ByteExactString? {
    if case .list(_, _, let id, _) = unset { id } else { nil }
  }

  var root: String {
    switch format {
    case .xml(let root): root
    case .crossOriginRules: CrossOriginRule.root
    case .policy: ""
    }
  }

  var isPolicy: Bool {
    if case .policy = format { true } else { false }
  }

  var routes: [OperationRoute] {
    let options = idParameter.map { Set([$0.string]) } ?? []
    let methods: KeyValuePairs<Operation, HTTPRequest.Method> = [
      .readDocument: .get, .changeDocument: .put, .deleteDocument: .delete,
    ]
    return methods.filter { $0.key != .deleteDocument || deletion != .none }
      .map { OperationRoute($0.key, $0.value, .bucket, [parameter], taking: options) }
  }

  func action(of operation: Operation) -> String {
    switch operation {
    case .readDocument: "Get\(subject)"
    case .deleteDocument where deletion == .own: "Delete\(subject)"
    default: "Put\(subject)"
    }
  }
}

extension Call {
  /// Returns the kind of document that the request selects, and the name under which it is stored; `isList` tells that
  /// the request selects all documents of the kind.
  private func selectedDocument() throws(ErrorResponse) -> (kind: BucketDocument, name: String, isList: Bool) {
    guard let kind = service.document(selectedBy: target) else {
      throw .internalError("The operation has no document.")
    }
    guard let name = kind.idParameter else { return (kind, kind.parameter, false) }
    let id = parameter(name)
    if id == nil, operation == .readDocument { return (kind, kind.parameter, true) }
    guard let id, !id.isEmpty else { throw .invalidArgument("The parameter \"\(name)\" is missing or empty.") }
    return (kind, "\(kind.parameter)/\(id)", false)
  }

  func readDocument() throws -> Answer {
    let (kind, name, isList) = try selectedDocument()
    let documents = try store.read(bucket) { $0.settings.documents ?? [:] }
    if let text = documents[name] {
      let type = kind.isPolicy ? "application/json" : "application/xml"
      return Answer(headers: [.contentType: type], body: .bytes(Array(text.utf8)))
    }
    func isListed(_ other: String) -> Bool { other.hasBytePrefix("\(name)/") }
    switch kind.unset {
    case .document(let elements): return service.response(with: XMLNode(kind.root, children: elements))
    case .list(_, let root, _, let canBeEmpty) where isList && (canBeEmpty || documents.keys.contains(where: isListed)):
      let nodes = try documents.keys.filter(isListed).sorted().compactMap { documents[$0] }.map {
        try XMLNode.parse(Array($0.utf8))
      }
      return service.response(with: XMLNode(root, children: nodes + [XMLNode("IsTruncated", "false")]))
    case .error(let code), .list(let code, _, _, _):
      throw ErrorResponse(
        .notFound, code, "The bucket has no such document: \(name).",
        details: [ErrorResponse.Detail(name: "BucketName", value: bucket)])
    }
  }

  func changeDocument() async throws -> Answer {
    let (kind, name, _) = try selectedDocument()
    let bytes = try await bytes()
    guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
      throw ErrorResponse.malformedXML("The body is empty, or not UTF-8.")
    }
    switch kind.format {
    case .xml: _ = try document(bytes, named: kind.root)
    case .crossOriginRules: _ = try CrossOriginRule.rules(of: document(bytes, named: kind.root))
    case .policy(let code):
      do throws(PolicyFault) {
        _ = try SessionPolicy(text, in: service.policies.language, ofBucket: true)
      } catch {
        throw ErrorResponse(.badRequest, code, "The policy cannot be applied. \(error.reason)")
      }
    }
    try await store.configure(bucket) { $0.documents = ($0.documents ?? [:]).merging([name: text]) { $1 } }
    return Answer()
  }

  func deleteDocument() async throws -> Answer {
    let (kind, name, _) = try selectedDocument()
    guard parameter(ByteExactString(kind.parameter))?.isEmpty != false else {
      throw ErrorResponse.notImplemented("This server deletes only the whole document \"\(name)\".")
    }
    try await store.configure(bucket) { $0.documents?[name] = nil }
    return Answer(.noContent)
  }
}

extension SimulatedService {
  /// Returns the kind of document that a query parameter selects, or `nil` if none does.
  func document(selectedBy target: RequestTarget) -> BucketDocument? {
    documents.first { target.contains(ByteExactString($0.parameter)) }
  }

  /// Returns the text of the policy of a bucket, or `nil` if it has none.
  func policy(of bucket: String, in store: BucketTable) -> String? {
    documents.first { $0.isPolicy }.flatMap { kind in
      try? store.read(bucket) { $0.settings.documents?[kind.parameter] }
    }
  }
}
