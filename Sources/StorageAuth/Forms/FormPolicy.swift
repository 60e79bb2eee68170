// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The upload that a form permits its bearer: one object with a given key or below a prefix of a bucket, under
/// conditions, until an expiration.
///
/// A ``FormSigner`` creates a ``SignedForm`` from it. All properties become part of the form's policy document, which
/// the service checks. The vendors' pages that define the document are "PostObject" (OSS), "POST Object" (COS) and
/// "POST Policy" (S3).
///
/// ```swift
/// let policy = FormPolicy(
///   bucket: "photos", objects: .prefix("uploads/alice/"), sizes: 1...(10 << 20), contentType: .startsWith("image/"),
///   answer: .created, until: .now.advanced(by: .seconds(600)))
/// ```
public struct FormPolicy: Sendable, Hashable {
  /// The bucket.
  public var bucket: String

  /// The keys that the object may have.
  public var objects: ObjectScope

  /// The permitted size of the file in bytes, or `nil` for the limit of the service, 5 GiB.
  public var sizes: ClosedRange<Int64>?

  /// The rule for the media type of the object, or `nil` to allow any type or none.
  public var contentType: FormCondition.Rule?

  /// The response of the service after a successful upload, or `nil` for the service's default.
  public var answer: Answer?

  /// The conditions on other fields, such as user metadata.
  public var conditions: [FormCondition]

  /// The time at which the form expires.
  public var expiration: Timestamp

  /// A response of the service to a successful upload.
  public enum Answer: Sendable, Hashable {
    /// 200, without a body.
    case ok
    /// 201, with a document that describes the object.
    case created
    /// 204, the default of the services.
    case noContent
    /// 303, a redirection to a URL to which `bucket`, `key` and `etag` are added.
    case redirect(String)
  }

  /// Creates a form policy.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - objects: The keys that the object may have; the file name is appended to a prefix.
  ///   - sizes: The permitted size of the file in bytes.
  ///   - contentType: The rule for the media type of the object.
  ///   - answer: The response of the service after a successful upload.
  ///   - conditions: The conditions on other fields.
  ///   - expiration: The time at which the form expires.
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

  /// Creates the policy of a form that may write exactly what an access rule allows.
  ///
  /// - Parameters:
  ///   - rule: The rule; its permissions other than writing do not become part of the form.
  ///   - expiration: The time at which the form expires; the rule's own end applies if it is earlier.
  ///   - answer: The response of the service after a successful upload.
  /// - Throws: A ``SigningError`` with the code ``SigningError/Code/invalidRequest`` if a form cannot express the rule:
  ///   the rule does not allow writing, is bound to source addresses, lists several kinds of media types, or neither it
  ///   nor the caller sets an expiration.
  public init(_ rule: AccessRule, until expiration: Timestamp? = nil, answer: Answer? = nil) throws(SigningError) {
    guard rule.actions.contains(.write) else {
      throw .form("The rule does not allow writing.", remedy: "Use a rule that does.")
    }
    guard rule.addresses == nil else {
      throw .form(
        "The rule is bound to source addresses, which a form cannot be.",
        remedy: "Remove them, or bind the key that signs the form to them.")
    }
    let ends = [rule.end, expiration].compactMap { $0 }
    guard let end = ends.min() else {
      throw .form("The form has no expiration.", remedy: "Set one for the form or the rule.")
    }
    if let maximum = rule.maximumSize, maximum < 0 {
      throw .form("The largest size is negative.", remedy: "Set a size of 0 or more.")
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
  /// Creates the error for a form that cannot be created.
  package static func form(_ message: String, remedy: String) -> SigningError {
    SigningError(.invalidRequest, message, remedy: remedy)
  }
}
