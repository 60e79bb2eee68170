internal import StorageAuth

/// The policy languages of both clouds, as their documents describe them.
enum PolicyLanguage: Sendable {
  /// RAM of Alibaba Cloud, version 1.
  case ram
  /// CAM of Tencent Cloud, version 2.0.
  case cam

  /// The language of a cloud.
  init(of provider: LocalCloud.Provider) {
    self = provider == .oss ? .ram : .cam
  }

  /// What a comparison looks at.
  enum Kind: Sendable {
    case text, textIgnoringCase, pattern, truth, network, absence
    case number(PolicyCondition.Order)
    case date(PolicyCondition.Order)
  }

  /// What a comparison is called, and whether it is a negation.
  struct Comparison: Sendable {
    let kind: Kind
    let isNegated: Bool

    init(_ kind: Kind, not isNegated: Bool = false) {
      self.kind = kind
      self.isNegated = isNegated
    }
  }

  var comparisons: [String: Comparison] { self == .ram ? Self.ramComparisons : Self.camComparisons }

  /// The keys of conditions that this server has a value for.
  var keys: Set<String> { self == .ram ? Self.ramKeys : Self.camKeys }

  /// An action as it is compared: RAM takes no notice of the case of letters.
  func comparable(_ action: String) -> String { self == .ram ? action.asciiLowercased : action }

  private static let ramKeys: Set = [
    "acs:SourceIp", "acs:CurrentTime", "acs:SecureTransport", "acs:UserAgent", "oss:Prefix", "oss:Delimiter",
    "oss:x-oss-acl", "oss:x-oss-object-acl",
  ]

  private static let camKeys: Set = [
    "qcs:ip", "qcs:current_time", "cos:secure-transport", "cos:content-type", "cos:content-length", "cos:prefix",
    "cos:x-cos-acl", "cos:x-cos-storage-class", "cos:response-content-type", "cos:versionid",
  ]

  private static let ramComparisons: [String: Comparison] = [
    "StringEquals": Comparison(.text), "StringNotEquals": Comparison(.text, not: true),
    "StringEqualsIgnoreCase": Comparison(.textIgnoringCase),
    "StringNotEqualsIgnoreCase": Comparison(.textIgnoringCase, not: true),
    "StringLike": Comparison(.pattern), "StringNotLike": Comparison(.pattern, not: true),
    "NumericEquals": Comparison(.number(.equal)), "NumericNotEquals": Comparison(.number(.equal), not: true),
    "NumericLessThan": Comparison(.number(.less)), "NumericLessThanEquals": Comparison(.number(.lessOrEqual)),
    "NumericGreaterThan": Comparison(.number(.greater)),
    "NumericGreaterThanEquals": Comparison(.number(.greaterOrEqual)),
    "DateEquals": Comparison(.date(.equal)), "DateNotEquals": Comparison(.date(.equal), not: true),
    "DateLessThan": Comparison(.date(.less)), "DateLessThanEquals": Comparison(.date(.lessOrEqual)),
    "DateGreaterThan": Comparison(.date(.greater)), "DateGreaterThanEquals": Comparison(.date(.greaterOrEqual)),
    "Bool": Comparison(.truth), "IpAddress": Comparison(.network), "NotIpAddress": Comparison(.network, not: true),
  ]

  private static let camComparisons: [String: Comparison] = [
    "string_equal": Comparison(.text), "string_not_equal": Comparison(.text, not: true),
    "string_equal_ignore_case": Comparison(.textIgnoringCase),
    "string_not_equal_ignore_case": Comparison(.textIgnoringCase, not: true),
    "string_like": Comparison(.pattern), "string_not_like": Comparison(.pattern, not: true),
    "numeric_equal": Comparison(.number(.equal)), "numeric_not_equal": Comparison(.number(.equal), not: true),
    "numeric_less_than": Comparison(.number(.less)), "numeric_less_than_equal": Comparison(.number(.lessOrEqual)),
    "numeric_greater_than": Comparison(.number(.greater)),
    "numeric_greater_than_equal": Comparison(.number(.greaterOrEqual)),
    "date_equal": Comparison(.date(.equal)), "date_not_equal": Comparison(.date(.equal), not: true),
    "date_less_than": Comparison(.date(.less)), "date_less_than_equal": Comparison(.date(.lessOrEqual)),
    "date_greater_than": Comparison(.date(.greater)), "date_greater_than_equal": Comparison(.date(.greaterOrEqual)),
    "bool_equal": Comparison(.truth), "ip_equal": Comparison(.network), "ip_not_equal": Comparison(.network, not: true),
    "null_equal": Comparison(.absence),
  ]
}
