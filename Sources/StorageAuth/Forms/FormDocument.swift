internal import StorageCrypto
internal import StorageJSON

/// The policy of a form that arrived; for form verifiers, which read it after they proved its signature.
///
/// ```swift
/// let document = try FormDocument(base64: try form.required("policy"))
/// return try document.verify(form, of: id, as: reading, within: limits, since: date, at: date)
/// ```
public struct FormDocument: Sendable {
  /// What a form uploads at most at the services: 5 GiB.
  private static let sizeLimit: Int64 = 5 << 30

  private let expiration: Timestamp
  private var conditions: [FormCondition] = []
  private var sizes: ClosedRange<Int64> = 0...Self.sizeLimit

  /// Reads a policy in Base64.
  ///
  /// - Parameter text: The field `policy` of the form.
  /// - Throws: ``VerificationError/Code/invalidPolicy`` for anything that is not understood: it is never left out.
  public init(base64 text: String) throws(VerificationError) {
    guard let bytes = [UInt8](base64: text) else { throw .invalidPolicy("The policy is not Base64.") }
    try self.init(bytes)
  }

  /// Reads a policy.
  ///
  /// - Throws: ``VerificationError/Code/invalidPolicy`` for anything that is not understood: it is never left out.
  package init(_ bytes: [UInt8]) throws(VerificationError) {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: bytes)
    } catch {
      throw .invalidPolicy("Invalid JSON: \(error)")
    }
    guard let text = document["expiration"]?.string, let expiration = Timestamp(iso8601: text) else {
      throw .invalidPolicy("There is no expiration like 2026-11-20T08:00:00.000Z.")
    }
    self.expiration = expiration
    guard let list = document["conditions"]?.array, !list.isEmpty else {
      throw .invalidPolicy("There is no list of conditions, or none in it.")
    }
    for element in list { try read(element) }
  }

  private mutating func read(_ element: JSONValue) throws(VerificationError) {
    if let members = element.object {
      guard members.names.count == 1, let name = members.names.first, let text = members[name]?.string else {
        throw .invalidPolicy(
          "Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.")
      }
      conditions.append(FormCondition(name.asciiLowercased, .equals(text)))
      return
    }
    guard let parts = element.array, parts.count == 3, let kind = parts[0].string?.asciiLowercased else {
      throw .invalidPolicy("A condition is neither an object nor a list of three.")
    }
    if kind == "content-length-range" {
      guard let least = parts[1].wholeNumber, let most = parts[2].wholeNumber, least >= 0, least <= most else {
        throw .invalidPolicy("A content-length-range is not two numbers in their order.")
      }
      let lower = max(least, sizes.lowerBound)
      let upper = min(most, sizes.upperBound)
      guard lower <= upper else { throw .invalidPolicy("No size is within every content-length-range.") }
      sizes = lower...upper
      return
    }
    guard let name = parts[1].string, name.hasBytePrefix("$"), name.utf8.count > 1 else {
      throw .invalidPolicy("A condition names no field like $key.")
    }
    conditions.append(FormCondition(name.dropFirst().asciiLowercased, try Self.rule(kind, parts[2])))
  }

  private static func rule(_ kind: String, _ value: JSONValue) throws(VerificationError) -> FormCondition.Rule {
    let texts = value.array.map { $0.compactMap(\.string) }
    let isList = texts.map { $0.count == value.array?.count } ?? false
    switch (kind, value.string, texts) {
    case ("eq", let text?, _): return .equals(text)
    case ("starts-with", let text?, _): return .startsWith(text)
    case ("in", _, let texts?) where isList: return .oneOf(texts)
    case ("not-in", _, let texts?) where isList: return .noneOf(texts)
    default:
      throw .invalidPolicy("A condition is not one of eq, starts-with, in and not-in, or has a value of another kind.")
    }
  }

  /// How a scheme reads forms.
  ///
  /// Names of fields are in lower case.
  public struct Reading: Sendable {
    /// The fields that the policy has to bind to one value.
    public var required: [String]

    /// The fields that the scheme itself consists of; the policy need not say anything about them.
    public var own: Set<String>

    /// The fields that a condition calls by another name, by that name.
    public var aliases: [String: String]

    /// The values that a condition on the content type is about; none if there is no type.
    public var contentTypes: [String]

    /// The media type that the object gets.
    public var contentType: String?

    /// Whether conditions may have lists of values.
    public var hasLists: Bool

    /// Creates a reading.
    ///
    /// - Parameters:
    ///   - required: The fields that the policy has to bind to one value.
    ///   - own: The fields that the scheme itself consists of.
    ///   - aliases: The fields that a condition calls by another name, by that name.
    ///   - contentTypes: The values that a condition on the content type is about.
    ///   - contentType: The media type that the object gets.
    ///   - hasLists: Whether conditions may have lists of values.
    public init(
      required: [String], own: Set<String>, aliases: [String: String] = [:], contentTypes: [String],
      contentType: String?, hasLists: Bool
    ) {
      self.required = required
      self.own = own
      self.aliases = aliases
      self.contentTypes = contentTypes
      self.contentType = contentType
      self.hasLists = hasLists
    }
  }

  /// Checks the end of a policy, and a form against every condition.
  ///
  /// - Parameters:
  ///   - form: The form.
  ///   - accessKeyID: The id of the key that signed it.
  ///   - reading: How the scheme reads forms.
  ///   - limits: The limits of the verifier.
  ///   - start: When the form was signed, or the present where it does not say.
  ///   - date: The present.
  /// - Returns: The proof, with the fields that the policy says nothing about.
  /// - Throws: A ``VerificationError`` if the policy ended, does not bind what it has to, or the form does not meet it.
  public func verify(
    _ form: SubmittedForm, of accessKeyID: AccessKeyID, as reading: Reading, within limits: VerificationLimits,
    since start: Timestamp, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    guard date < expiration else {
      throw VerificationError(
        .policyExpired, "The policy of the form ended at \(expiration).", remedy: "Get a new form."
      ).with(instant: expiration)
    }
    try limits.checkLifetime(from: start, until: expiration, at: date, in: .query)
    for name in reading.required {
      let isBound = conditions.contains { condition in
        if case .equals = condition.rule { condition.field == name } else { false }
      }
      guard isBound else { throw .invalidPolicy("The policy does not bind the field \(name).") }
    }
    guard let key = form.key, !key.isEmpty else {
      throw VerificationError(.malformed, "The form has no key.", remedy: "Send the field key before the file.")
    }
    var values: [[UInt8]: String] = [:]
    for field in form.fields {
      let name = Array(field.name.asciiLowercased.utf8)
      if values[name] == nil { values[name] = field.value }
    }
    for condition in conditions { try check(condition, form, values, key: key, reading) }
    let listed = Set(conditions.map { reading.aliases[$0.field] ?? $0.field })
    let unlisted = form.fields.map { $0.name.asciiLowercased }.filter {
      !listed.contains($0) && !reading.own.contains($0)
    }
    return VerifiedForm(
      accessKeyID: accessKeyID, key: key, sizes: sizes, contentType: reading.contentType, expiration: expiration,
      form: form, unlistedFields: unlisted)
  }

  private func check(
    _ condition: FormCondition, _ form: SubmittedForm, _ fields: [[UInt8]: String], key: String, _ reading: Reading
  ) throws(VerificationError) {
    switch condition.rule {
    case .oneOf, .noneOf:
      guard reading.hasLists else { throw .invalidPolicy("The service has no conditions in and not-in.") }
    case .equals, .startsWith: break
    }
    let values: [String] =
      switch condition.field {
      case "bucket": [form.bucket]
      case "key": [key]
      case "content-type": reading.contentTypes
      default: fields[Array((reading.aliases[condition.field] ?? condition.field).utf8)].map { [$0] } ?? []
      }
    guard !values.isEmpty, values.allSatisfy(condition.rule.accepts) else {
      var error = VerificationError(
        .conditionFailed, "The form does not meet a condition of its policy: \(condition).",
        remedy: values.isEmpty ? "Send the field before the file." : "Send a value that the policy allows.")
      error.condition = condition
      throw error
    }
  }
}

extension JSONValue {
  /// A whole number, also one that is written as text.
  fileprivate var wholeNumber: Int64? { code.flatMap { Int64($0) } }
}

extension VerificationError {
  /// The error for a policy that cannot be read.
  package static func invalidPolicy(_ message: String) -> VerificationError {
    VerificationError(.invalidPolicy, message, remedy: "Make the policy with a form signer.")
  }
}
