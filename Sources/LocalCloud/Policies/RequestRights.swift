internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// What a request may do: who asks, and what is known about the request.
struct RequestRights: Sendable {
  /// The account that everything belongs to.
  private static let owner = "1250000000"

  private let authority: Authority
  private let provider: LocalCloud.Provider
  private let region: String
  private let facts: [String: String]

  /// The rights of nobody.
  static func none(of provider: LocalCloud.Provider) -> RequestRights {
    RequestRights(authority: .nothing, provider: provider, region: "", facts: [:])
  }

  private init(authority: Authority, provider: LocalCloud.Provider, region: String, facts: [String: String]) {
    self.authority = authority
    self.provider = provider
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
  ///   - provider: The service.
  ///   - region: The region of the service.
  ///   - date: The present.
  init(
    _ authority: Authority, of head: HTTPRequest, for operation: Operation, _ target: RequestTarget,
    _ provider: LocalCloud.Provider, region: String, at date: Timestamp
  ) {
    var facts = Self.facts(of: provider, at: date)
    switch provider {
    case .oss:
      facts["acs:UserAgent"] = head.headerFields[.userAgent]
      for name in ["x-oss-acl", "x-oss-object-acl"] { facts["oss:\(name)"] = head.headerFields.joined(name) }
      switch operation {
      case .listObjects, .listObjectsV2:
        facts["oss:Prefix"] = target["prefix"]?.string ?? ""
        facts["oss:Delimiter"] = target["delimiter"]?.string ?? ""
      default: break
      }
    case .cos:
      for name in ["content-type", "content-length", "x-cos-acl", "x-cos-storage-class"] {
        facts["cos:\(name)"] = head.headerFields.joined(name)
      }
      // COS compares parameters in the percent-encoded form of the URL.
      for name in ["prefix", "response-content-type"] {
        facts["cos:\(name)"] = target[WireText(name)]?.string.percentEncoded()
      }
      facts["cos:versionid"] = target["versionId"]?.string
    }
    self.init(authority: authority, provider: provider, region: region, facts: facts)
  }

  /// The rights of a form, which was verified before its file is read.
  ///
  /// How long the file is is not known yet: it counts as long as the form lets it be.
  init(
    _ authority: Authority, of form: VerifiedForm, _ provider: LocalCloud.Provider, region: String, at date: Timestamp
  ) {
    var facts = Self.facts(of: provider, at: date)
    switch provider {
    case .oss: facts["oss:x-oss-object-acl"] = form.form["x-oss-object-acl"]
    case .cos:
      facts["cos:content-type"] = form.contentType
      facts["cos:content-length"] = form.sizes.upperBound == .max ? nil : "\(form.sizes.upperBound)"
      facts["cos:x-cos-acl"] = form.form["acl"]
      facts["cos:x-cos-storage-class"] = form.form["x-cos-storage-class"]
    }
    self.init(authority: authority, provider: provider, region: region, facts: facts)
  }

  /// What is known about every request to a cloud; all of them come from this machine and without TLS.
  static func facts(of provider: LocalCloud.Provider, at date: Timestamp) -> [String: String] {
    let address = "127.0.0.1"
    return switch provider {
    case .oss: ["acs:SourceIp": address, "acs:CurrentTime": date.iso8601, "acs:SecureTransport": "false"]
    case .cos: ["qcs:ip": address, "qcs:current_time": date.iso8601, "cos:secure-transport": "false"]
    }
  }

  /// Whether an operation may be done to its target, as far as the head of the request says what that is.
  func allow(_ operation: Operation, on target: RequestTarget) -> Bool {
    if case .everything = authority { return true }
    guard let need = operation.need(of: provider) else { return false }
    let bucket = target.bucket?.string ?? ""
    switch need.target {
    case .service: return allows(need.action, "")
    case .bucket: return allows(need.action, provider == .oss ? bucket : "\(bucket)/")
    case .list: return allows(need.action, "\(bucket)/\(target["prefix"] ?? "")")
    case .object: return allows(need.action, "\(bucket)/\(target.key ?? "")")
    case .objectsOfBody: return true
    }
  }

  /// Whether an object may be written by form.
  func allowPosting(_ key: String, to bucket: String) -> Bool {
    allows(provider == .oss ? "oss:PutObject" : "cos:PostObject", "\(bucket)/\(key)")
  }

  /// Whether an object may be read, to copy it.
  func allowReading(_ source: CopySource) -> Bool {
    allows(provider == .oss ? "oss:GetObject" : "cos:GetObject", "\(source.bucket)/\(source.key.text)")
  }

  /// Whether an object that the body of a request names may be deleted with others.
  func allowDeleting(_ key: String, in bucket: String) -> Bool {
    guard let need = Operation.deleteObjects.need(of: provider) else { return false }
    return allows(need.action, "\(bucket)/\(key)")
  }

  private func allows(_ action: String, _ name: String) -> Bool {
    // The buckets of COS have the number of the account at their end.
    let number = name.parts(between: "/")[0].words(between: "-").last.flatMap {
      $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? String($0) : nil
    }
    let resource =
      provider == .oss
      ? ["acs", "oss", region, Self.owner, name] : ["qcs", "", "cos", region, "uid/\(number ?? Self.owner)", name]
    return authority.allows(PolicyQuestion(action: action, resource: resource, facts: facts))
  }
}

extension HTTPFields {
  /// All values of a header, with a comma between them; nothing if there is none.
  fileprivate func joined(_ name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}
