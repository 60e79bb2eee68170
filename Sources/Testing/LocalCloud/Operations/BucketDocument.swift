// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A kind of document that clients store with a bucket, such as its lifecycle rules.
///
/// The server checks the root element, stores the bytes and returns them. Only these documents have an effect: those
/// about requests of web pages (``CrossOriginRule``), the policy, the versioning, the encryption, the payer of
/// requests, the tags and the resource group (which select listed buckets), and the public access of S3.
struct BucketDocument: Sendable {
  /// The query parameter that selects the document.
  let parameter: String
  /// The name of the root element, or `nil` for a policy, which is in JSON.
  let root: String?
  let responseIfUnset: ResponseIfUnset
  /// The name of the document in the names of actions, after the verb.
  let subject: String
  /// The verb of the action that allows reading the document.
  let reading: String
  /// The verb of the action that allows deleting the document, or `nil` if it cannot be deleted.
  let deletion: String?
  /// The optional query parameters of a request for a document that never changes, or `nil` for any other document.
  let fixedOptions: Set<String>?
  /// Whether a change with an empty body deletes the document.
  let emptyDeletes: Bool
  /// The status of the response to a change of the document.
  let written: HTTPResponse.Status
  /// The child that the service adds to each element of a name without it; an empty child becomes a new ID.
  let defaults: [String: XMLNode]

  /// The response to a request for the document while there is none.
  enum ResponseIfUnset: Sendable {
    case error(_ code: String)
    case document(_ elements: [XMLNode] = [])
    /// The error code for documents with IDs, the root element of their list, and the parameter with the ID.
    case list(error: String, root: String, id: ByteExactString, canBeEmpty: Bool = true)
  }

  init(
    _ parameter: String, root: String?, ifUnset responseIfUnset: ResponseIfUnset, subject: String? = nil,
    deletion: String? = "Delete", reading: String = "Get", fixedTaking fixedOptions: Set<String>? = nil,
    emptyDeletes: Bool = false, written: HTTPResponse.Status = .ok, defaults: [String: XMLNode] = [:]
  ) {
    (self.written, self.defaults) = (written, defaults)
    (self.parameter, self.root, self.responseIfUnset, self.deletion) = (parameter, root, responseIfUnset, deletion)
    (self.reading, self.fixedOptions, self.emptyDeletes) = (reading, fixedOptions, emptyDeletes)
    self.subject = subject ?? "Bucket\(String(parameter.prefix(1)).asciiUppercased)\(parameter.dropFirst())"
  }

  var isPolicy: Bool { root == nil }
  var idParameter: ByteExactString? { if case .list(_, _, let id, _) = responseIfUnset { id } else { nil } }

  var routes: [OperationRoute] {
    if let fixedOptions { return [OperationRoute(.readDocument, .get, .bucket, [parameter], taking: fixedOptions)] }
    let options = idParameter.map { Set([$0.string]) } ?? []
    let methods: [(Operation, HTTPRequest.Method)] =
      [(.readDocument, .get), (.changeDocument, .put)] + (deletion == nil ? [] : [(.deleteDocument, .delete)])
    return methods.map { operation, method in
      let isList = idParameter != nil && operation == .readDocument
      return OperationRoute(
        operation, method, .bucket, [parameter], taking: isList ? options.union(["continuation-token"]) : options)
    }
  }

  /// Returns an element in which it and the elements below it have the missing children in `defaults`.
  func addingDefaults(to node: XMLNode) -> XMLNode {
    var node = node
    node.children = node.children.map(addingDefaults)
    if let child = defaults[node.name], node[child.name] == nil {
      node.children.append(child.text.isEmpty ? XMLNode(child.name, BlobID.random().description) : child)
    }
    return node
  }

  func action(of operation: Operation) -> String {
    (operation == .readDocument ? reading : operation == .changeDocument ? "Put" : deletion ?? "") + subject
  }
}

extension Call {
  /// Returns the kind and the stored name of the selected document, and whether all documents of the kind are listed.
  private func selectedDocument() throws(ErrorResponse) -> (kind: BucketDocument, name: String, isList: Bool) {
    guard let kind = service.document(selectedBy: target) else { throw .notImplemented("There is no such document.") }
    guard let idName = kind.idParameter else { return (kind, kind.parameter, false) }
    let id = parameter(idName)
    if id == nil, operation == .readDocument { return (kind, kind.parameter, true) }
    guard let id, !id.isEmpty else { throw .invalidArgument("The parameter \"\(idName)\" is missing or empty.") }
    return (kind, "\(kind.parameter)/\(id)", false)
  }

  func readDocument() throws -> Answer {
    let (kind, name, isList) = try selectedDocument()
    let settings = try store.read(bucket) { $0.settings }
    let documents = settings.documents ?? [:]
    if kind.root == "PolicyStatus" {
      let language = service.policies.language
      let policy = documents["policy"].flatMap { try? PolicyDocument($0, in: language, ofBucket: true) }
      return service.response("PolicyStatus", [XMLNode("IsPublic", String(policy?.isPublic ?? false))])
    }
    if let text = documents[name] {
      let type = kind.isPolicy ? "application/json" : "application/xml"
      return Answer(headers: [.contentType: type], body: .bytes(Array(text.utf8)))
    }
    let names = settings.documentNames.filter { $0.hasBytePrefix("\(name)/") }
    switch kind.responseIfUnset {
    case .document(let elements): return service.response(kind.root ?? "", elements)
    case .list(_, let root, _, let canBeEmpty) where isList && (canBeEmpty || !names.isEmpty):
      return try listDocuments(named: names, of: documents, in: root)
    case .error(let code), .list(let code, _, _, _):
      throw ErrorResponse(.notFound, code, "The bucket has no such document: \(name).", details: ["BucketName": bucket])
    }
  }

  private static let documentPageLimit = 100

  private func listDocuments(named names: [String], of documents: [String: String], in root: String) throws -> Answer {
    var start = 0
    if let last = try continuation() {
      guard let index = names.firstIndex(of: last) else { throw ErrorResponse.invalidToken }
      start = index + 1
    }
    let page = names[start...].prefix(Self.documentPageLimit)
    var nodes = try page.compactMap { documents[$0] }.map { try XMLNode.parse(Array($0.utf8)) }
    nodes.append(XMLNode("IsTruncated", String(page.endIndex < names.count)))
    if page.endIndex < names.count, let last = page.last { nodes.append(Self.nextToken(after: last)) }
    return service.response(root, nodes)
  }

  func changeDocument() async throws -> Answer {
    let (kind, name, _) = try selectedDocument()
    let bytes = try await readBody()
    if bytes.isEmpty, kind.emptyDeletes {
      try await store.configure(bucket) { $0.documents?[name] = nil }
      return Answer()
    }
    guard let text = String(utf8: bytes), !text.isEmpty else {
      throw ErrorResponse.malformedXML("The body is empty, or not UTF-8.")
    }
    let document = try kind.root.map { try parseDocument(bytes, named: $0) }
    let versioning = try kind.root == BucketSettings.Versioning.root ? document.map(Self.versioning) : nil
    let isPublic = try document == nil && isPublicPolicy(text)
    let storedText = try document.map { try textToStore(text, of: $0, kind) } ?? text
    try await store.configure(bucket) { settings in
      if isPublic, settings.blocks("BlockPublicPolicy") {
        throw ErrorResponse.accessDenied("The bucket blocks public policies.")
      }
      settings.documentNames = settings.documentNames.filter { $0 != name } + [name]
      settings.documents = (settings.documents ?? [:]).merging([name: storedText]) { $1 }
      settings.versioning = versioning ?? settings.versioning
    }
    return Answer(kind.written)
  }

  private func isPublicPolicy(_ text: String) throws(ErrorResponse) -> Bool {
    do throws(PolicyFault) {
      return try PolicyDocument(text, in: service.policies.language, ofBucket: true).isPublic
    } catch {
      throw ErrorResponse(.badRequest, service.errors.malformedPolicy, "The policy cannot be applied. \(error.reason)")
    }
  }

  /// Returns a document as the service stores and returns it, or throws if it refuses the document.
  private func textToStore(
    _ text: String, of document: XMLNode, _ kind: BucketDocument
  ) throws(ErrorResponse) -> String {
    if kind.root == CrossOriginRule.rootElement { _ = try CrossOriginRule.rules(of: document) }
    if kind.root == "LifecycleConfiguration" { try Self.checkLifecycle(document) }
    let accepted = try service.behavior.accepted(kind.addingDefaults(to: document))
    if kind.root == "Style", let name = parameter("styleName") { return try style(document, named: name) }
    let text = accepted == document ? text : String(decoding: accepted.serialized(), as: UTF8.self)
    // The vendors' SDKs write truth values with a capital letter, but read them only in lowercase.
    return kind.root == "Tagging" ? text : Self.asReturned(text)
  }

  /// Returns the document of an image style with its name and category, which only the request's parameters contain.
  private func style(_ document: XMLNode, named name: String) throws(ErrorResponse) -> String {
    guard let content = document["Content"], !content.text.isEmpty else {
      throw .invalidArgument("Style content is invalid.")
    }
    guard name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }), name.utf8.count <= 63 else {
      throw .invalidArgument("Style name is invalid.")
    }
    let times = ["CreateTime", "LastModifyTime"].map { XMLNode($0, date.httpDate) }
    let category = parameter("category").map { [XMLNode("Category", $0)] } ?? []
    let style = XMLNode("Style", children: [XMLNode("Name", name), content] + category + times)
    return String(decoding: style.serialized(), as: UTF8.self)
  }

  /// Returns the state in a versioning document; other elements must be disabled.
  private static func versioning(in document: XMLNode) throws(ErrorResponse) -> BucketSettings.Versioning {
    if document.children.contains(where: { $0.name != "Status" && $0.text != "Disabled" }) {
      throw .notImplemented("This server supports only the Status of a bucket's versioning.")
    }
    guard let state = document["Status"].flatMap({ BucketSettings.Versioning(rawValue: $0.text) }) else {
      throw .malformedXML("The Status must be Enabled or Suspended.")
    }
    return state
  }

  /// The end tags, without `>`, of elements whose text remains as it is, even if it looks like a truth value.
  private static let endTagsOfTexts: Set<String> = ["</ID", "</Key", "</Value", "</Prefix"]

  /// Returns a document with truth values in lowercase, and the older name of an element replaced, as services do.
  private static func asReturned(_ text: String) -> String {
    text.parts(between: ">").map { part in
      for value in ["True", "False"] where part.hasBytePrefix("\(value)</") {
        if let endTag = part.removingBytePrefix(value), !endTagsOfTexts.contains(String(endTag)) {
          return value.asciiLowercased + endTag
        }
      }
      guard let start = part.removingByteSuffix("ApplySideEncryptionConfiguration") else { return String(part) }
      return start + "ApplyServerSideEncryptionByDefault"
    }.joined(separator: ">")
  }

  private static let ruleIDLimit = 255

  /// Checks the parts of lifecycle rules whose errors clients rely on.
  private static func checkLifecycle(_ document: XMLNode) throws(ErrorResponse) {
    var ids: Set<ByteExactString> = []
    for rule in document.all("Rule") {
      guard let status = rule["Status"]?.text, ["Enabled", "Disabled"].contains(status) else {
        throw .malformedXML("The Status of a Rule must be Enabled or Disabled.")
      }
      if let id = rule["ID"]?.text, !id.isEmpty {
        guard id.unicodeScalars.count <= ruleIDLimit, ids.insert(ByteExactString(id)).inserted else {
          throw .invalidArgument("The ID of a Rule must be unique and have at most \(ruleIDLimit) characters.")
        }
      }
      if let days = rule["Expiration"]?["Days"]?.text, Int(digits: days).map({ $0 > 0 }) != true {
        throw .invalidArgument("The Days of an Expiration must be a positive integer.")
      }
      if let date = rule["Expiration"]?["Date"]?.text, date.utf8.firstRange(of: "T00:00:00".utf8) == nil {
        throw .invalidArgument("'Date' must be at midnight GMT")
      }
    }
  }

  func deleteDocument() async throws -> Answer {
    let (kind, name, _) = try selectedDocument()
    let tagKeys = (parameter(ByteExactString(kind.parameter)) ?? "").words(between: ",").map(String.init)
    guard tagKeys.isEmpty || service.buckets.deletesSingleTags && name == "tagging" else {
      throw ErrorResponse.notImplemented("This server deletes only the whole document \"\(name)\".")
    }
    try await store.configure(bucket) { settings in
      let tags = settings.document(name)?["TagSet"]?.all("Tag") ?? []
      let keptTags = tags.filter { tag in !tagKeys.contains { $0 == tag["Key"]?.text } }
      let document = XMLNode("Tagging", children: [XMLNode("TagSet", children: keptTags)])
      let deletesDocument = tagKeys.isEmpty || tags.isEmpty
      settings.documents?[name] = deletesDocument ? nil : String(decoding: document.serialized(), as: UTF8.self)
    }
    return Answer(.noContent)
  }
}

extension SimulatedService {
  func document(selectedBy target: RequestTarget) -> BucketDocument? {
    documents.first { target.contains(ByteExactString($0.parameter)) }
  }
}

extension BucketTable {
  func document(_ name: String, of bucket: String) -> XMLNode? {
    (try? read(bucket) { $0.settings.document(name) }) ?? nil
  }
}
