// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The syntax and semantics of a vendor's policy documents.
struct PolicyLanguage: Sendable {
  /// The data type that a comparison operator compares, and the order that it tests.
  enum Kind: Sendable {
    case text, textIgnoringCase, pattern, truth, network, absence
    case number(PolicyCondition.Order)
    case date(PolicyCondition.Order)
  }

  struct Comparison: Sendable {
    let kind: Kind
    let isNegated: Bool

    init(_ kind: Kind, not isNegated: Bool = false) {
      self.kind = kind
      self.isNegated = isNegated
    }
  }

  struct Effects: Sendable {
    let allow, deny: String
    var ignoresCase = false
  }

  let versions: Set<String>
  let effects: Effects
  /// The members that a statement can have besides effect, action, resource and condition, in lowercase.
  let members: Set<String>
  /// The members of documents and statements that don't affect permissions, in lowercase.
  var labels: Set<String> = []
  /// Whether the member names of documents and statements must start with an uppercase letter.
  let capitalizesMembers: Bool
  var actionPrefix: String?
  let ignoresActionCase: Bool
  /// Whether a statement of a bucket's policy that names no principal applies to everybody.
  var impliesEverybody = false
  /// The suffix of operators that also hold if the request has no value for the condition's key, if there are any.
  var existenceSuffix: String?
  /// The result of a comparison without the existence suffix if the request has no value for the condition's key.
  let comparisonWithoutValue: PolicyCondition.Absence
  let conditions: ConditionKeys
  let comparisons: [String: Comparison]
  /// A closure that splits a resource name into its colon-separated parts, or returns `nil` if the name is invalid.
  let splitResource: @Sendable (String) -> [String]?

  func comparable(_ action: String) -> String { ignoresActionCase ? action.asciiLowercased : action }

  /// The comparison operators that the policy languages of Alibaba Cloud (RAM) and AWS (IAM) share, by name.
  static let capitalizedComparisons: [String: Comparison] = [
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
}

/// The condition keys of a policy language that this server supports, each with the part of a request that it tests.
struct ConditionKeys: Sendable {
  let address, time, transport: String
  let headers: [String: String]
  let parameters: [String: ByteExactString]
  let formFields: [String: String]
  /// Whether the parameters of requests that do not list objects are ignored.
  var parametersOnlyInLists = true
  var fillsAbsentParameters = false
  /// Whether policies compare parameters in the percent-encoded form of the URL.
  var encodesParameters = false

  func contains(_ key: String) -> Bool {
    [address, time, transport].contains(key) || headers[key] != nil || parameters[key] != nil
  }

  /// Returns the values that all requests to a service share, by condition key.
  func facts(at date: Timestamp) -> [String: String] { [address: "127.0.0.1", time: date.iso8601, transport: "false"] }

  func facts(
    of head: HTTPRequest, for operation: Operation, _ target: RequestTarget, at date: Timestamp
  ) -> [String: String] {
    var facts = facts(at: date)
    for (key, name) in headers { facts[key] = head.headerFields.joined(name) }
    guard !parametersOnlyInLists || operation == .listObjects || operation == .listObjectsV2 else { return facts }
    for (key, name) in parameters {
      let value = target[name]?.string ?? (fillsAbsentParameters ? "" : nil)
      facts[key] = encodesParameters ? value?.percentEncoded() : value
    }
    return facts
  }

  /// Returns the values of a form upload; the maximum length that the form allows stands for the file's length.
  func facts(of form: VerifiedForm, at date: Timestamp) -> [String: String] {
    var facts = facts(at: date)
    for (key, name) in formFields {
      facts[key] =
        switch name {
        case "content-type": form.contentType
        case "content-length": form.sizes.upperBound == .max ? nil : "\(form.sizes.upperBound)"
        default: form.form[name]
        }
    }
    return facts
  }
}
