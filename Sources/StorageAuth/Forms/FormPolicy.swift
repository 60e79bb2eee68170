/// What a form may upload, for whoever has it: an object of one key or below one prefix of a bucket, under conditions,
/// until then.
///
/// A ``FormSigner`` makes a ``SignedForm`` of it. Everything that is said here is in the policy of the form and is checked
/// by the service.
///
/// ```swift
/// let policy = FormPolicy(
///   bucket: "photos", objects: .prefix("uploads/alice/"), sizes: 1...(10 << 20), contentType: .startsWith("image/"),
///   answer: .created, until: .now.advanced(by: .seconds(600)))
/// ```
public struct FormPolicy: Sendable, Hashable {
  /// The bucket.
  public var bucket: String

  /// Which keys the object may have.
  public var objects: ObjectScope

  /// How many bytes the file may have; nothing for what the service takes, 5 GiB.
  public var sizes: ClosedRange<Int64>?

  /// The media type that the object has to have; nothing for any, or none.
  public var contentType: FormCondition.Rule?

  /// What the service answers when the object is stored.
  public var answer: Answer?

  /// What other fields have to be, such as user metadata.
  public var conditions: [FormCondition]

  /// When the form ends.
  public var expiration: Timestamp

  /// What the service answers when the object is stored.
  public enum Answer: Sendable, Hashable {
    /// 200, without a body.
    case ok
    /// 201, with a document that names the object.
    case created
    /// 204; what the services answer if nobody says.
    case noContent
    /// 303, to a URL that `bucket`, `key` and `etag` are added to.
    case redirect(String)
  }

  /// Says what a form may upload.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - objects: Which keys the object may have; below a prefix the name of the file is appended to it.
  ///   - sizes: How many bytes the file may have.
  ///   - contentType: The media type that the object has to have.
  ///   - answer: What the service answers when the object is stored.
  ///   - conditions: What other fields have to be.
  ///   - expiration: When the form ends.
  public init(
    bucket: String, objects: ObjectScope, sizes: ClosedRange<Int64>? = nil, contentType: FormCondition.Rule? = nil,
    answer: Answer? = nil, conditions: [FormCondition] = [], until expiration: Timestamp
  ) {
    self.bucket = bucket
    self.objects = objects
    self.sizes = sizes
    self.contentType = contentType
    self.answer = answer
    self.conditions = conditions
    self.expiration = expiration
  }

  /// Makes the policy of a form that may write what a rule allows, and nothing more.
  ///
  /// - Parameters:
  ///   - rule: The rule; what it allows besides writing is not part of the form.
  ///   - expiration: When the form ends; the rule's own end counts if that is earlier.
  ///   - answer: What the service answers when the object is stored.
  /// - Throws: ``SigningError/Code/invalidRequest`` if a form cannot say what the rule says: it allows no writing, is bound
  ///   to source addresses, names several kinds of media types, or nobody says when it ends.
  public init(_ rule: AccessRule, until expiration: Timestamp? = nil, answer: Answer? = nil) throws(SigningError) {
    guard rule.actions.contains(.write) else {
      throw .form("The rule allows no writing.", remedy: "Make the form of a rule that does.")
    }
    guard rule.addresses == nil else {
      throw .form(
        "The rule is bound to source addresses, which a form cannot be.",
        remedy: "Leave them out, or bind the key that signs the form to them.")
    }
    let ends = [rule.end, expiration].compactMap { $0 }
    guard let end = ends.min() else {
      throw .form("Nobody says when the form ends.", remedy: "Give the rule or the form an end.")
    }
    if let maximum = rule.maximumSize, maximum < 0 {
      throw .form("The greatest size is negative.", remedy: "Give a size of 0 or more.")
    }
    self.init(
      bucket: rule.bucket, objects: rule.objects, sizes: rule.maximumSize.map { 0...$0 },
      contentType: try rule.contentTypes.map(Self.rule), answer: answer, until: end)
  }

  private static func rule(for types: [String]) throws(SigningError) -> FormCondition.Rule {
    if types.count == 1, types[0].hasByteSuffix("/*") { return .startsWith(String(types[0].dropLast())) }
    guard !types.isEmpty, !types.contains(where: { $0.hasByteSuffix("/*") }) else {
      throw .form(
        "A form cannot be bound to these media types.", remedy: "Name whole types, or one kind such as image/*.")
    }
    return types.count == 1 ? .equals(types[0]) : .oneOf(types)
  }
}

extension SigningError {
  /// The error for a form that cannot be made.
  package static func form(_ message: String, remedy: String) -> SigningError {
    SigningError(.invalidRequest, message, remedy: remedy)
  }
}
