public import StorageAuth
internal import StorageJSON

extension AccessPolicy {
  /// The policy as a document of Tencent Cloud CAM (version 2.0), for `Policy` of GetFederationToken and AssumeRole.
  ///
  /// - Parameters:
  ///   - region: The region of all buckets, such as `ap-guangzhou`.
  ///   - options: What the document may hold beyond what COS documents.
  /// - Throws: A ``PolicyError`` if CAM cannot express it; see ``camDocument(regions:options:)``.
  public func camDocument(region: String, options: CAMDocumentOptions = []) throws(PolicyError) -> String {
    try camDocument(
      regions: Dictionary(rules.map { ($0.bucket, region) }) { first, _ in first }, options: options)
  }

  /// The policy as a document of Tencent Cloud CAM, for buckets in more than one region.
  ///
  /// A list is `name/cos:GetBucket` on the prefix. A write with a size is a simple upload or a form: the size of parts
  /// cannot be limited, so that uploads in parts are not allowed then.
  ///
  /// - Parameters:
  ///   - regions: The region of each bucket, by its name with the number of the app.
  ///   - options: What the document may hold beyond what COS documents.
  /// - Returns: The document, as JSON without any encoding.
  /// - Throws: A ``PolicyError`` if CAM cannot express it: buckets without the number of the app or a region, an end
  ///   without ``CAMDocumentOptions/dates``, addresses of version 6, stars, question marks and `${` in keys.
  public func camDocument(
    regions: [String: String], options: CAMDocumentOptions = []
  ) throws(PolicyError) -> String {
    var statements: [DocumentStatement] = []
    for rule in try checkedRules() {
      for statement in try CAMRule(rule, regions, options).statements() { statements.add(statement) }
    }
    let document: JSONValue = ["version": "2.0", "statement": .array(statements.map { $0.json(.lowercase) })]
    return String(decoding: document.serialized, as: UTF8.self)
  }
}

/// What a document of Tencent Cloud CAM may hold beyond what COS itself documents.
public struct CAMDocumentOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: Int

  /// Makes options of their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Data processing (CI) is allowed wherever a rule allows to read and to write.
  ///
  /// The one action of it, `name/ci:*`, does both, and knows no limit of sizes and media types.
  public static let dataProcessing = CAMDocumentOptions(rawValue: 1)

  /// The end of a rule is written as a condition for `qcs:current_time`.
  ///
  /// CAM has that condition for all services; the list of conditions that COS has does not name it. Without the option
  /// a rule that ends is an error.
  public static let dates = CAMDocumentOptions(rawValue: 2)
}

/// One rule in the words of CAM.
struct CAMRule {
  private static let upload = ["PutObject", "PostObject"]
  private static let initiation = ["InitiateMultipartUpload"]
  private static let parts = [
    "ListMultipartUploads", "ListParts", "UploadPart", "CompleteMultipartUpload", "AbortMultipartUpload",
  ]

  private let rule: AccessRule
  private let options: CAMDocumentOptions
  private let region: String
  private let appID: Substring
  private let pattern: String
  private let conditions: [DocumentStatement.Condition]

  /// - Parameters:
  ///   - rule: The rule, checked.
  ///   - regions: The region of each bucket.
  ///   - options: What the document may hold.
  init(
    _ rule: AccessRule, _ regions: [String: String], _ options: CAMDocumentOptions
  ) throws(PolicyError) {
    guard let hyphen = rule.bucket.lastIndex(of: "-") else { throw Self.shortName(rule.bucket) }
    let appID = rule.bucket[rule.bucket.index(after: hyphen)...]
    guard appID.utf8.count >= 8, appID.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw Self.shortName(rule.bucket)
    }
    guard let region = regions[rule.bucket], (try? ServiceEndpoint.cos(region: region)) != nil else {
      throw PolicyError(
        .unknownRegion, "A CAM policy names the region of a bucket, and there is none for \"\(rule.bucket)\".",
        remedy: "Pass the region, such as ap-guangzhou; for buckets in several regions, that of each bucket.")
    }
    self.rule = rule
    self.options = options
    self.region = region
    self.appID = appID
    pattern = try rule.objects.pattern(in: "a CAM policy")
    conditions = try Self.conditions(of: rule, options)
  }

  /// The statements that say the rule.
  func statements() throws(PolicyError) -> [DocumentStatement] {
    var plain: [String] = []
    var limited: [String] = []
    var limits: [DocumentStatement.Condition] = []
    if rule.actions.contains(.read) { plain += ["GetObject", "HeadObject"] }
    if rule.actions.contains(.write) {
      limits = self.limits
      limited = Self.upload + (rule.maximumSize == nil ? Self.initiation : [])
      let rest = rule.maximumSize == nil ? Self.parts : []
      if limits.isEmpty {
        plain += limited + rest
        limited = []
      } else {
        plain += rest
      }
    }
    if rule.actions.contains(.delete) { plain += ["DeleteObject", "DeleteMultipleObjects"] }
    if rule.actions.contains(.list) { plain.append("GetBucket") }
    let resource = "qcs::cos:\(region):uid/\(appID):\(rule.bucket)/\(pattern)"
    return [statement(plain, resource, conditions), statement(limited, resource, limits + conditions)]
      + (try dataProcessing())
  }

  private func statement(
    _ actions: [String], _ resource: String, _ conditions: [DocumentStatement.Condition]
  ) -> DocumentStatement {
    DocumentStatement(actions.map { "name/cos:\($0)" }, on: [resource], if: conditions)
  }

  /// What holds for the requests that say how large an object is, and of which type.
  private var limits: [DocumentStatement.Condition] {
    var limits: [DocumentStatement.Condition] = []
    if let types = rule.contentTypes {
      let comparison = types.contains { $0.hasByteSuffix("*") } ? "string_like" : "string_equal"
      limits.append(.init(comparison, "cos:content-type", .texts(types.map { $0.asciiLowercased })))
    }
    if let size = rule.maximumSize {
      limits.append(.init("numeric_less_than_equal", "cos:content-length", .number(size)))
    }
    return limits
  }

  private func dataProcessing() throws(PolicyError) -> [DocumentStatement] {
    guard options.contains(.dataProcessing), rule.actions.isSuperset(of: [.read, .write]) else { return [] }
    guard limits.isEmpty else {
      throw PolicyError(
        .unsupportedCondition, "Data processing writes objects of any size and type, and the rule limits them.",
        remedy: "Leave out the option for data processing, or the limits.")
    }
    let resource = "qcs::ci:\(region):uid/\(appID):bucket/\(rule.bucket)/\(pattern)"
    return [DocumentStatement(["name/ci:*"], on: [resource], if: conditions)]
  }

  private static func conditions(
    of rule: AccessRule, _ options: CAMDocumentOptions
  ) throws(PolicyError) -> [DocumentStatement.Condition] {
    var conditions: [DocumentStatement.Condition] = []
    if let addresses = rule.addresses {
      guard !addresses.contains(where: \.isVersion6) else {
        throw PolicyError(
          .unsupportedCondition,
          "CAM documents no addresses of version 6, as the rule for \"\(rule.bucket)\" has them.",
          remedy: "Use addresses of version 4.")
      }
      conditions.append(.init("ip_equal", "qcs:ip", .texts(addresses.map(\.description))))
    }
    if let end = rule.end {
      guard options.contains(.dates) else {
        throw PolicyError(
          .unsupportedCondition, "COS documents no condition for the time, and the rule for \"\(rule.bucket)\" ends.",
          remedy: "Ask for a key that ends then, or allow the condition of CAM with the option dates.")
      }
      conditions.append(.init("date_less_than", "qcs:current_time", .texts([end.iso8601])))
    }
    return conditions
  }

  private static func shortName(_ bucket: String) -> PolicyError {
    PolicyError(
      .invalidBucket, "The bucket \"\(bucket)\" has no number of an app at its end.",
      remedy: "Write the whole name, such as photos-1250000000.")
  }
}
