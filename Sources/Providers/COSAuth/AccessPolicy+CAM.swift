// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension AccessPolicy {
  /// Returns the policy as a version 2.0 CAM policy document for GetFederationToken and AssumeRole of Tencent Cloud.
  ///
  /// - Parameters:
  ///   - region: The region of all buckets, such as `ap-guangzhou`.
  ///   - options: The statements that the document may contain although the COS documentation does not list them.
  /// - Throws: A `PolicyError` if CAM cannot express the policy; see ``camDocument(regions:options:)``.
  public func camDocument(region: String, options: CAMDocumentOptions = []) throws(PolicyError) -> String {
    try camDocument(regions: Dictionary(rules.map { ($0.bucket, region) }) { first, _ in first }, options: options)
  }

  /// Returns the policy as a CAM policy document of Tencent Cloud, for buckets in more than one region.
  ///
  /// The permission to list becomes `name/cos:GetBucket` on the prefix. CAM cannot limit the size of parts, so the
  /// permission to write objects of a limited size covers only simple uploads and form uploads.
  ///
  /// - Parameters:
  ///   - regions: The region of each bucket. The keys are bucket names with the app ID, such as `photos-1250000000`.
  ///   - options: The statements that the document may contain although the COS documentation does not list them.
  /// - Returns: The document as JSON, without any further encoding.
  /// - Throws: A `PolicyError` if CAM cannot express the policy: a bucket lacks an app ID or a region, a rule expires
  ///   without ``CAMDocumentOptions/dates``, an address is IPv6, or a key contains `*`, `?` or `${`.
  public func camDocument(regions: [String: String], options: CAMDocumentOptions = []) throws(PolicyError) -> String {
    var statements: [DocumentStatement] = []
    for rule in try checkedRules() {
      for statement in try CAMRule(rule, regions: regions, options: options).statements() { statements.add(statement) }
    }
    let document: JSONValue = ["version": "2.0", "statement": .array(statements.map { $0.json(.lowercase) })]
    return String(decoding: document.serialized, as: UTF8.self)
  }
}

/// The statements that a CAM policy document may contain although the COS documentation does not list them.
public struct CAMDocumentOptions: OptionSet, Sendable, Hashable {
  /// The bit mask of the options.
  public let rawValue: Int

  /// Creates options from a bit mask.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A statement that allows data processing (CI), for every rule that allows both reading and writing.
  ///
  /// The only action of the statement, `name/ci:*`, covers both, and no condition limits its sizes or media types.
  public static let dataProcessing = CAMDocumentOptions(rawValue: 1)
  /// A condition on `qcs:current_time` that enforces the expiration of a rule.
  ///
  /// CAM supports the condition for all services. Without this option, a rule that expires is an error.
  public static let dates = CAMDocumentOptions(rawValue: 2)
}

/// A rule of an access policy in the form of CAM, for a bucket in a region.
private struct CAMRule {
  /// The actions whose requests state both the size and the media type of the object.
  private static let uploadActions = ["PutObject", "PostObject"]
  /// The action whose request states the media type of the object, and no size.
  private static let initiationActions = ["InitiateMultipartUpload"]
  /// The actions whose requests state neither the size nor the media type of the object.
  private static let partActions = [
    "ListMultipartUploads", "ListParts", "UploadPart", "CompleteMultipartUpload", "AbortMultipartUpload",
  ]

  private let rule: AccessRule
  private let options: CAMDocumentOptions
  private let region: String
  private let appID: Substring
  /// The end of a resource, which matches the keys of the rule.
  private let pattern: String
  private let conditions: [DocumentStatement.Condition]

  init(_ rule: AccessRule, regions: [String: String], options: CAMDocumentOptions) throws(PolicyError) {
    guard let hyphen = rule.bucket.lastIndex(of: "-") else { throw Self.missingAppID(in: rule.bucket) }
    let appID = rule.bucket[rule.bucket.utf8.index(after: hyphen)...]
    // A shorter number can be the end of the bucket's own name.
    guard appID.utf8.count >= 8, appID.utf8.allSatisfy(\.isASCIIDigit) else { throw Self.missingAppID(in: rule.bucket) }
    guard let region = regions[rule.bucket], (try? ServiceEndpoint.cos(region: region)) != nil else {
      throw PolicyError(
        .unknownRegion, "A CAM policy requires the region of a bucket, which is missing for \"\(rule.bucket)\".",
        remedy: "Pass the region, such as ap-guangzhou; for buckets in several regions, that of each bucket.")
    }
    self.rule = rule
    self.options = options
    self.region = region
    self.appID = appID
    pattern = try rule.objects.pattern(in: "a CAM policy")
    conditions = try Self.conditions(of: rule, options: options)
  }

  /// Returns a statement without limits, a statement with limits on size and media type, and one for data processing.
  func statements() throws(PolicyError) -> [DocumentStatement] {
    var unlimitedActions: [String] = []
    var limitedActions: [String] = []
    if rule.actions.contains(.read) { unlimitedActions += ["GetObject", "HeadObject"] }
    if rule.actions.contains(.write) {
      // CAM cannot limit the size of parts, so a rule with a maximum size does not allow multipart uploads.
      let allowsParts = rule.maximumSize == nil
      let sizedActions = Self.uploadActions + (allowsParts ? Self.initiationActions : [])
      if limits.isEmpty { unlimitedActions += sizedActions } else { limitedActions = sizedActions }
      if allowsParts { unlimitedActions += Self.partActions }
    }
    if rule.actions.contains(.delete) { unlimitedActions += ["DeleteObject", "DeleteMultipleObjects"] }
    if rule.actions.contains(.list) { unlimitedActions.append("GetBucket") }
    let resource = "qcs::cos:\(region):uid/\(appID):\(rule.bucket)/\(pattern)"
    return [
      DocumentStatement(unlimitedActions.map { "name/cos:\($0)" }, on: [resource], if: conditions),
      DocumentStatement(limitedActions.map { "name/cos:\($0)" }, on: [resource], if: limits + conditions),
    ] + (try dataProcessingStatements())
  }

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

  private func dataProcessingStatements() throws(PolicyError) -> [DocumentStatement] {
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
    of rule: AccessRule, options: CAMDocumentOptions
  ) throws(PolicyError) -> [DocumentStatement.Condition] {
    var conditions: [DocumentStatement.Condition] = []
    if let addresses = rule.addresses {
      guard !addresses.contains(where: \.isIPv6) else {
        throw PolicyError(
          .unsupportedCondition, "CAM documents no IPv6 addresses, which the rule for \"\(rule.bucket)\" contains.",
          remedy: "Use IPv4 addresses.")
      }
      conditions.append(.init("ip_equal", "qcs:ip", .texts(addresses.map(\.description))))
    }
    if let end = rule.end {
      guard options.contains(.dates) else {
        throw PolicyError(
          .unsupportedCondition, "COS documents no condition for the time, as the rule for \"\(rule.bucket)\" needs.",
          remedy: "Request a key that expires then, or allow the condition of CAM with the option dates.")
      }
      conditions.append(.init("date_less_than", "qcs:current_time", .texts([end.iso8601])))
    }
    return conditions
  }

  private static func missingAppID(in bucket: String) -> PolicyError {
    PolicyError(
      .invalidBucket, "The bucket \"\(bucket)\" has no app ID at its end.",
      remedy: "Use the full name, such as photos-1250000000.")
  }
}
