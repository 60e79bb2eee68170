// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The policy document of a submitted form, which form verifiers parse after they have verified the form's signature.
///
/// ```swift
/// let document = try FormDocument(base64: try form.required("policy"))
/// return try document.verify(form, of: id, as: reading, within: limits, since: date, at: date)
/// ```
public struct FormDocument: Sendable {
  /// The maximum size of a file that the services accept from a form, in bytes: 5 GiB.
  private static let fileByteLimit: Int64 = 5 << 30

  private let expiration: Timestamp
  private var conditions: [FormCondition] = []
  private var sizes: ClosedRange<Int64> = 0...Self.fileByteLimit

  /// Parses a policy document from Base64.
  ///
  /// - Parameter text: The value of the form's `policy` field.
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/invalidPolicy`` if any part of the
  ///   document cannot be parsed; an unknown condition is never ignored.
  public init(base64 text: String) throws(VerificationError) {
    guard let bytes = [UInt8](base64: text) else { throw .invalidPolicy("The policy is not Base64.") }
    try self.init(bytes)
  }

  package init(_ bytes: [UInt8]) throws(VerificationError) {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: bytes)
    } catch { throw .invalidPolicy("The policy is not valid JSON: \(error).") }
    guard let text = document["expiration"]?.string, let expiration = Timestamp(iso8601: text) else {
      throw .invalidPolicy("The policy has no expiration like 2026-11-20T08:00:00.000Z.")
    }
    self.expiration = expiration
    guard let elements = document["conditions"]?.array, !elements.isEmpty else {
      throw .invalidPolicy("The policy has no conditions.")
    }
    for element in elements { try addCondition(from: element) }
  }

  /// Adds a condition, or restricts the permitted sizes of the file.
  private mutating func addCondition(from element: JSONValue) throws(VerificationError) {
    if let members = element.object {
      guard members.names.count == 1, let name = members.names.first, let text = members[name]?.string else {
        throw .invalidPolicy("A condition that is an object must have exactly one member, whose value is a string.")
      }
      conditions.append(FormCondition(name.asciiLowercased, .equals(text)))
      return
    }
    guard let parts = element.array, parts.count == 3, let comparison = parts[0].string?.asciiLowercased else {
      throw .invalidPolicy("A condition is neither an object nor a list of three elements.")
    }
    if comparison == "content-length-range" { return try restrictSizes(from: parts[1], through: parts[2]) }
    // By bytes: a `$` and a combining character after it, which is part of the name, are one character.
    guard let name = parts[1].string?.removingBytePrefix("$"), !name.isEmpty else {
      throw .invalidPolicy("A condition has no field name like $key.")
    }
    conditions.append(FormCondition(name.asciiLowercased, try Self.rule(comparison, parts[2])))
  }

  /// Restricts the permitted sizes to those in a further range; the numbers can also be strings.
  private mutating func restrictSizes(from first: JSONValue, through last: JSONValue) throws(VerificationError) {
    guard let minimum = first.wholeNumber, let maximum = last.wholeNumber, minimum >= 0, minimum <= maximum else {
      throw .invalidPolicy("A content-length-range is not two whole numbers in ascending order.")
    }
    guard sizes.overlaps(minimum...maximum) else {
      throw .invalidPolicy("No size is within every content-length-range.")
    }
    sizes = sizes.clamped(to: minimum...maximum)
  }

  private static func rule(_ comparison: String, _ value: JSONValue) throws(VerificationError) -> FormCondition.Rule {
    switch (comparison, value) {
    case ("eq", .string(let text)): return .equals(text)
    case ("starts-with", .string(let text)): return .startsWith(text)
    case ("in", .array(let elements)), ("not-in", .array(let elements)):
      let texts = elements.compactMap(\.string)
      if texts.count == elements.count { return comparison == "in" ? .oneOf(texts) : .noneOf(texts) }
    default: break
    }
    throw .invalidPolicy("A condition is not one of eq, starts-with, in and not-in, or has a value of another kind.")
  }

  /// A signature scheme's rules for checking forms against their policies, with field names in lowercase.
  public struct Reading: Sendable {
    /// The lowercase names, as conditions spell them, that the policy must restrict by an equality condition.
    public var required: [String]
    /// The lowercase names of the scheme's own fields, which need no condition in the policy.
    public var own: Set<String>
    /// The form field names by the names that conditions use for them, where the two differ.
    public var aliases: [String: String]
    /// The values that a condition on the content type must accept, empty if the form has no content type.
    public var contentTypes: [String]
    /// The media type with which the service stores the uploaded object, or `nil` if the form specifies no media type.
    public var contentType: String?
    /// Whether the service supports conditions with lists of values.
    public var hasLists: Bool

    /// Creates a signature scheme's rules; the parameters are the properties, with field names in lowercase.
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

    /// Returns the name of the form field that a condition restricts.
    fileprivate func formField(for condition: FormCondition) -> String { aliases[condition.field] ?? condition.field }
  }

  /// Checks the policy's expiration, and the form against every condition of the policy.
  ///
  /// - Parameters:
  ///   - form: The submitted form.
  ///   - accessKeyID: The ID of the key that signed the form.
  ///   - reading: The signature scheme's rules for checking submitted forms.
  ///   - limits: The verifier's limits.
  ///   - start: The time at which the form was signed, or the current time if the form does not contain this time.
  ///   - date: The current time.
  /// - Throws: A ``VerificationError`` if the policy has expired, does not bind a required field, or is not satisfied.
  public func verify(
    _ form: SubmittedForm, of accessKeyID: AccessKeyID, as reading: Reading, within limits: VerificationLimits,
    since start: Timestamp, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm {
    guard date < expiration else {
      throw VerificationError(
        .policyExpired, "The policy of the form expired at \(expiration).", remedy: "Get a new form."
      ).with(instant: expiration)
    }
    // A form gives the same right as a presigned URL, so that the same limit applies to its lifetime.
    try limits.checkLifetime(from: start, until: expiration, at: date, in: .query)
    let boundFields = conditions.compactMap { condition in
      if case .equals = condition.rule { condition.field } else { nil }
    }
    for name in reading.required where !boundFields.contains(name) {
      throw .invalidPolicy("The policy does not bind the field \(name).")
    }
    guard let key = form.key, !key.isEmpty else {
      throw VerificationError(.malformed, "The form has no key.", remedy: "Send the field key before the file.")
    }
    // Of a repeated field, the first value is checked, because the form returns this value for the name.
    let namedValues = form.fields.map { (ByteExactString($0.name.asciiLowercased), $0.value) }
    let fieldValues = Dictionary(namedValues, uniquingKeysWith: { first, _ in first })
    for condition in conditions { try require(condition, of: form, with: fieldValues, key: key, as: reading) }
    return VerifiedForm(
      accessKeyID: accessKeyID, key: key, sizes: sizes, contentType: reading.contentType, expiration: expiration,
      form: form, unlistedFields: unlistedFields(of: form, as: reading))
  }

  /// Returns the lowercase names of the fields that neither a condition restricts nor the signature scheme defines.
  private func unlistedFields(of form: SubmittedForm, as reading: Reading) -> [String] {
    let listedFields = Set(conditions.map { ByteExactString(reading.formField(for: $0)) })
    return form.fields.map { $0.name.asciiLowercased }.filter {
      !listedFields.contains(ByteExactString($0)) && !reading.own.contains($0)
    }
  }

  /// Throws an error unless the form has a value for a condition, and every such value satisfies the condition.
  private func require(
    _ condition: FormCondition, of form: SubmittedForm, with fieldValues: [ByteExactString: String], key: String,
    as reading: Reading
  ) throws(VerificationError) {
    switch condition.rule {
    case .oneOf, .noneOf:
      guard reading.hasLists else { throw .invalidPolicy("The service does not support the conditions in and not-in.") }
    case .equals, .startsWith: break
    }
    let values: [String] =
      switch condition.field {
      // A form can also have a field of this name, although the service reads the bucket from the URL.
      case "bucket": [form.bucket] + (fieldValues["bucket"].map { [$0] } ?? [])
      case "key": [key]
      case "content-type": reading.contentTypes
      default: fieldValues[ByteExactString(reading.formField(for: condition))].map { [$0] } ?? []
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
  /// The whole number, which can also be the text of a string.
  fileprivate var wholeNumber: Int64? { code.flatMap { Int64(signedDigits: $0) } }
}

extension VerificationError {
  package static func invalidPolicy(_ message: String) -> VerificationError {
    VerificationError(.invalidPolicy, message, remedy: "Create the policy with a form signer.")
  }
}
