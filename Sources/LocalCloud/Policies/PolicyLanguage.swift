internal import StorageAuth

/// A language of policies, as a cloud's documents describe it.
struct PolicyLanguage: Sendable {
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

  /// The words for what a statement does.
  struct Effects: Sendable {
    let allow: String
    let deny: String
    var ignoresCase = false
  }

  /// The versions of a document.
  let versions: Set<String>

  let effects: Effects

  /// The members of a statement besides effect, action, resource and condition, in lower case.
  let members: Set<String>

  /// The members of a document and a statement that say nothing about what is allowed, in lower case.
  var labels: Set<String> = []

  /// Whether the names of members are written with a capital.
  let capitalizesMembers: Bool

  /// What may stand before the name of an action.
  var actionPrefix: String?

  /// Whether the case of letters in actions does not count.
  let ignoresActionCase: Bool

  /// What ends the name of a comparison that holds for a request without the fact.
  var existenceSuffix: String?

  /// What a comparison is for a request without the fact.
  let absence: PolicyCondition.Absence

  /// The keys of conditions that this server has a value for.
  let keys: Set<String>

  let comparisons: [String: Comparison]

  /// Reads the name of a resource; `nil` if it is none.
  let parts: @Sendable (String) -> [String]?

  /// An action as it is compared.
  func comparable(_ action: String) -> String { ignoresActionCase ? action.asciiLowercased : action }
}

extension PolicyLanguage {
  /// The comparisons that RAM and IAM have alike.
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
