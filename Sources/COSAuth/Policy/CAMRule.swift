internal import StorageAuth

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
    pattern = try rule.keys.pattern(in: "a CAM policy")
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
