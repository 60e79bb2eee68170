// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The upload that a form permits its bearer: one object with certain keys, under conditions, until an expiration.
///
/// A ``FormSigner`` creates a ``SignedForm`` from the policy, whose properties become the policy document that the
/// service checks. Vendors' pages: "PostObject" (OSS), "POST Object" (COS) and "POST Policy" (S3).
///
/// ```swift
/// let policy = FormPolicy(
///   bucket: "photos", objects: .prefix("uploads/alice/"), sizes: 1...(10 << 20), contentType: .startsWith("image/"),
///   response: .created, until: .now.advanced(by: .seconds(600)))
/// ```
public struct FormPolicy: Sendable, Hashable {
  /// The name of the bucket that receives the upload.
  public var bucket: String
  /// The keys that the uploaded object may have; the file name is appended to a prefix.
  public var objects: ObjectScope
  /// The permitted size of the uploaded file in bytes, or `nil` for the service's limit of 5 GiB.
  public var sizes: ClosedRange<Int64>?
  /// The rule for the uploaded object's media type, or `nil` to allow any media type or no media type.
  public var contentType: FormCondition.Rule?
  /// The service's response to a successful upload, or `nil` for the service's default response.
  public var response: Response?
  /// The conditions on other form fields, such as user metadata.
  public var conditions: [FormCondition]
  /// The time at which the form and its permission to upload expire.
  public var expiration: Timestamp

  /// A service's response to a successful form upload.
  public enum Response: Sendable, Hashable {
    /// The service responds with the status 200 and an empty body.
    case ok
    /// The service responds with the status 201 and a document that describes the object.
    case created
    /// The service responds with the status 204, which is the services' default.
    case noContent
    /// The service responds with the status 303 and redirects to a URL, to which it adds `bucket`, `key` and `etag`.
    case redirect(String)
  }

  /// Creates a form policy for uploads to a bucket; the parameters are the properties.
  public init(
    bucket: String, objects: ObjectScope, sizes: ClosedRange<Int64>? = nil, contentType: FormCondition.Rule? = nil,
    response: Response? = nil, conditions: [FormCondition] = [], until expiration: Timestamp
  ) {
    self.bucket = bucket
    self.objects = objects
    self.sizes = sizes
    self.contentType = contentType
    self.response = response
    self.conditions = conditions
    self.expiration = expiration
  }

  /// Creates the policy of a form that permits exactly the uploads that an access rule allows.
  ///
  /// - Parameters:
  ///   - rule: The access rule; only its permission to write becomes part of the form.
  ///   - expiration: The time at which the form expires, or `nil` for the rule's; the earlier of both applies.
  ///   - response: The service's response to a successful upload, or `nil` for the service's default response.
  /// - Throws: A ``SigningError`` (`invalidRequest`) if a form cannot express the rule: it does not allow writing, is
  ///   bound to source addresses, or lists several kinds of media types, or if no expiration is set.
  public init(_ rule: AccessRule, until expiration: Timestamp? = nil, response: Response? = nil) throws(SigningError) {
    if !rule.actions.contains(.write) { throw .form("The rule does not allow writing.", remedy: "Use one that does.") }
    guard rule.addresses == nil else {
      throw .form(
        "The rule is bound to source addresses, which a form cannot be.",
        remedy: "Remove them, or bind the key that signs the form to them.")
    }
    guard let earlierExpiration = [rule.end, expiration].compactMap(\.self).min() else {
      throw .form("The form has no expiration.", remedy: "Set one for the form or the rule.")
    }
    if let maximum = rule.maximumSize, maximum < 0 {
      throw .form("The largest size is negative.", remedy: "Set a size of 0 or more.")
    }
    self.init(
      bucket: rule.bucket, objects: rule.objects, sizes: rule.maximumSize.map { 0...$0 },
      contentType: try rule.contentTypes.map(Self.rule(permitting:)), response: response, until: earlierExpiration)
  }

  /// Returns the form's rule for media types of an access rule: a form can permit one kind of types, or a list.
  private static func rule(permitting types: [String]) throws(SigningError) -> FormCondition.Rule {
    if types.count == 1, types[0].hasByteSuffix("/*") { return .startsWith(String(types[0].dropLast())) }
    guard !types.isEmpty, !types.contains(where: { $0.hasByteSuffix("/*") }) else {
      throw .form(
        "A form cannot be bound to these media types.", remedy: "Name whole types, or one kind such as image/*.")
    }
    return types.count == 1 ? .equals(types[0]) : .oneOf(types)
  }
}

extension SigningError {
  /// Creates the error for a form that cannot be signed.
  package static func form(_ message: String, remedy: String) -> SigningError {
    invalidRequest(message, remedy: remedy)
  }
}
