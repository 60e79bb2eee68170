internal import StorageJSON

/// The policy that a temporary key was asked for with, as it is applied to each of its requests.
struct SessionPolicy: Sendable {
  /// The document.
  let text: String

  private let language: PolicyLanguage
  private let statements: [Statement]

  /// One statement: what it is about, and whether it allows or denies that.
  struct Statement: Sendable {
    var allows = false
    var actions: [WildcardPattern] = []
    /// Whether it is about all actions but the ones that it names.
    var exceptsActions = false
    var resources: [ResourcePattern] = []
    var conditions: [PolicyCondition] = []
  }

  /// Reads a document.
  ///
  /// - Throws: A ``PolicyFault`` for what is no policy of the language, and for what this server would not know how to
  ///   apply: nothing of a policy is read over.
  init(_ text: String, in language: PolicyLanguage) throws(PolicyFault) {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: text.utf8)
    } catch {
      throw PolicyFault("It is not JSON: \(error).")
    }
    self.text = text
    self.language = language
    statements = try PolicyReader(language).statements(of: document)
  }

  /// Whether the policy allows something: a statement allows it, and none denies it.
  func allows(_ question: PolicyQuestion) -> Bool {
    let action = language.comparable(question.action)
    let matching = statements.filter { $0.isAbout(action, question) }
    return !matching.isEmpty && matching.allSatisfy(\.allows)
  }
}

extension SessionPolicy.Statement {
  func isAbout(_ action: String, _ question: PolicyQuestion) -> Bool {
    actions.contains { $0.matches(action) } != exceptsActions
      && resources.contains { $0.matches(question.resource) }
      && conditions.allSatisfy { $0.holds(for: question.facts, inDenial: !allows) }
  }
}

/// The name of a resource, or of many: each part between the colons is a pattern of its own, so that a star does not reach
/// over a colon.
struct ResourcePattern: Sendable {
  private let parts: [WildcardPattern]?

  /// Every resource.
  static let any = ResourcePattern(nil)

  /// Resources with these parts.
  init(_ parts: [String]?) {
    self.parts = parts?.map { WildcardPattern($0) }
  }

  func matches(_ resource: [String]) -> Bool {
    guard let parts else { return true }
    return parts.count == resource.count && zip(parts, resource).allSatisfy { $0.matches($1) }
  }
}
