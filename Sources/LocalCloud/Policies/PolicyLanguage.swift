// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The syntax and semantics of a vendor's policy documents.
struct PolicyLanguage: Sendable {
  /// The data type and operator of a comparison.
  enum Kind: Sendable {
    case text, textIgnoringCase, pattern, truth, network, absence
    case number(PolicyCondition.Order)
    case date(PolicyCondition.Order)
  }

  /// A comparison operator of the language, and whether it is negated.
  struct Comparison: Sendable {
    let kind: Kind
    let isNegated: Bool

    init(_ kind: Kind, not isNegated: Bool = false) {
      self.kind = kind
      self.isNegated = isNegated
    }
  }

  /// The values of a statement's effect.
  struct Effects: Sendable {
    let allow: String
    let deny: String
    var ignoresCase = false
  }

  /// The supported versions of a document.
  let versions: Set<String>

  let effects: Effects

  /// The members of a statement besides effect, action, resource and condition, in lower case.
  let members: Set<String>

  /// The members of documents and statements that do not affect permissions, in lower case.
  var labels: Set<String> = []

  /// Whether the names of members must start with an upper-case letter.
  let capitalizesMembers: Bool

  /// The optional prefix of action names.
  var actionPrefix: String?

  /// Whether action names are compared case-insensitively.
  let ignoresActionCase: Bool

  /// The suffix of comparison operators that also hold if the request has no value for the key.
  var existenceSuffix: String?

  /// The result of a comparison if the request has no value for the key.
  let absence: PolicyCondition.Absence

  /// The condition keys that this server supports.
  let keys: Set<String>

  let comparisons: [String: Comparison]

  /// Parses a resource name into its parts, or returns `nil` if it is invalid.
  let parts: @Sendable (String) -> [String]?

  /// Returns an action name in the form in which it is compared.
  func comparable(_ action: String) -> String { ignoresActionCase ? action.asciiLowercased : action }
}

extension PolicyLanguage {
  /// The comparison operators that RAM and IAM share.
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
