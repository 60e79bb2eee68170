internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// What a request may do: who asks, and what is known about the request.
struct RequestRights: Sendable {
  private let authority: Authority
  private let dialect: any Dialect
  private let region: String
  private let facts: [String: String]

  /// The rights of a request without a signature.
  static func none(at dialect: any Dialect) -> RequestRights {
    RequestRights(authority: .nothing, dialect: dialect, region: "", facts: [:])
  }

  private init(authority: Authority, dialect: any Dialect, region: String, facts: [String: String]) {
    self.authority = authority
    self.dialect = dialect
    self.region = region
    self.facts = facts
  }

  /// The rights of a request.
  ///
  /// - Parameters:
  ///   - authority: What the key allows.
  ///   - head: The request.
  ///   - operation: What it asks for.
  ///   - target: What it is about, as it was signed.
  ///   - dialect: The service.
  ///   - region: The region of the service.
  ///   - date: The present.
  init(
    _ authority: Authority, of head: HTTPRequest, for operation: Operation, _ target: RequestTarget,
    _ dialect: any Dialect, region: String, at date: Timestamp
  ) {
    let facts = dialect.facts(of: head, for: operation, target)
    self.init(
      authority: authority, dialect: dialect, region: region, facts: dialect.facts(at: date).merging(facts) { $1 })
  }

  /// The rights of a form, which was verified before its file is read.
  init(
    _ authority: Authority, of form: VerifiedForm, _ dialect: any Dialect, region: String, at date: Timestamp
  ) {
    self.init(
      authority: authority, dialect: dialect, region: region,
      facts: dialect.facts(at: date).merging(dialect.facts(of: form)) { $1 })
  }

  /// Whether an operation may be done to its target, as far as the head of the request says what that is.
  func allow(_ operation: Operation, on target: RequestTarget) -> Bool {
    if case .everything = authority { return true }
    guard let need = dialect.need(for: operation) else { return false }
    let bucket = target.bucket?.string ?? ""
    switch need.target {
    case .service: return allows(need.action, "")
    case .bucket: return allows(need.action, dialect.resourceName(ofBucket: bucket))
    case .list: return allows(need.action, "\(bucket)/\(target["prefix"] ?? "")")
    case .object: return allows(need.action, "\(bucket)/\(target.key ?? "")")
    case .objectsOfBody: return true
    }
  }

  /// Whether an object may be written by form.
  func allowPosting(_ key: String, to bucket: String) -> Bool { allows(dialect.postAction, "\(bucket)/\(key)") }

  /// Whether an object may be read, to copy it.
  func allowReading(_ source: NamedSource) -> Bool {
    allows(dialect.readAction, "\(source.bucket)/\(source.key.text)")
  }

  /// Whether an object that the body of a request names may be deleted with others.
  func allowDeleting(_ key: String, in bucket: String) -> Bool {
    guard let need = dialect.need(for: .deleteObjects) else { return false }
    return allows(need.action, "\(bucket)/\(key)")
  }

  private func allows(_ action: String, _ name: String) -> Bool {
    authority.allows(
      PolicyQuestion(action: action, resource: dialect.resource(name, in: region), facts: facts))
  }
}

extension HTTPFields {
  /// All values of a header, with a comma between them; `nil` if there is none.
  func joined(_ name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}
