// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageCrypto

/// A form that is complete except for the fields that its signature scheme adds; for implementations of ``FormSigner``.
///
/// ```swift
/// let draft = try FormDraft(
///   policy, to: endpoint, contentTypeName: "content-type", reserved: ["policy", "signature"], at: date)
/// let text = draft.policy(binding: [])
/// let form = draft.signed(adding: [FormField("policy", text), FormField("signature", signature(text))])
/// ```
public struct FormDraft: Sendable {
  /// The variable in a form's key that the services replace with the file name.
  static let fileNameVariable = "${filename}"

  private let policy: FormPolicy
  private let url: String
  private let conditions: [FormCondition]

  /// Creates a draft of a form from its policy.
  ///
  /// - Parameters:
  ///   - policy: The upload that the form permits.
  ///   - endpoint: The endpoint of the service that receives the form.
  ///   - contentTypeName: The name of the content type in a policy document, as the service's documentation spells it.
  ///   - reserved: The names of the fields that the signature scheme adds, in lowercase.
  ///   - date: The current time.
  /// - Throws: A ``SigningError`` if the policy has expired, or contains a condition that no service can express.
  public init(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, contentTypeName: String, reserved: Set<String>,
    at date: Timestamp
  ) throws(SigningError) {
    let request = try endpoint.request(.post, bucket: policy.bucket)
    url = "\(endpoint.scheme)://\(request.authority ?? "")\(request.path ?? "/")"
    self.policy = policy
    guard policy.expiration.wholeSeconds > date else {
      throw SigningError(
        .lifetimeOutOfRange, "The form expires at \(policy.expiration) and is signed at \(date).",
        remedy: "Set an expiration that is some minutes from now.")
    }
    if let sizes = policy.sizes, sizes.lowerBound < 0 {
      throw .form("The smallest size is negative.", remedy: "Give a range that starts at 0 or more.")
    }
    let keyCondition = try Self.keyCondition(policy.objects, upTo: endpoint.keyByteLimit)
    let contentTypeCondition = policy.contentType.map { FormCondition(contentTypeName, $0) }
    for condition in policy.conditions { try Self.checkField(of: condition, reserved: reserved) }
    conditions =
      [Self.responseCondition(policy.response), keyCondition, contentTypeCondition].compactMap(\.self)
      + policy.conditions
    for condition in conditions where condition.values.contains(where: { $0.utf8.contains(where: \.isASCIIControl) }) {
      throw .form("The value of \(condition.field) contains a control character.", remedy: "Remove it.")
    }
  }

  /// The names of the fields that the form policy's own properties set, or that cannot have conditions.
  private static let policyFields: Set<String> = [
    "bucket", "key", "content-type", "success_action_status", "success_action_redirect", "content-length-range",
    "policy", "file",
  ]

  private static func keyCondition(_ keys: ObjectScope, upTo keyByteLimit: Int) throws(SigningError) -> FormCondition {
    let keyOrPrefix = keys.keyOrPrefix
    guard keyOrPrefix.utf8.count <= keyByteLimit, !keyOrPrefix.containsBytes(of: fileNameVariable), keys != .key("")
    else {
      throw .form(
        "The key is empty, longer than \(keyByteLimit) bytes, or contains \(fileNameVariable).",
        remedy: "Set a key, or a prefix to which the file name is appended.")
    }
    return FormCondition("key", keys.isKey ? .equals(keyOrPrefix) : .startsWith(keyOrPrefix))
  }

  private static func responseCondition(_ response: FormPolicy.Response?) -> FormCondition? {
    switch response {
    case nil: nil
    case .ok: FormCondition("success_action_status", .equals("200"))
    case .created: FormCondition("success_action_status", .equals("201"))
    case .noContent: FormCondition("success_action_status", .equals("204"))
    case .redirect(let url): FormCondition("success_action_redirect", .equals(url))
    }
  }

  /// Throws an error for a condition on a field that the policy's properties or the signature scheme set.
  private static func checkField(of condition: FormCondition, reserved: Set<String>) throws(SigningError) {
    let name = condition.field.asciiLowercased
    let isWellFormed = !name.isEmpty && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
    guard isWellFormed, !policyFields.contains(name), !reserved.contains(name) else {
      throw .form(
        "The list of conditions cannot contain the field \"\(condition.field)\".",
        remedy: "Use the policy's own property for it, and only letters, digits, - _ and . in field names.")
    }
  }

  /// Returns the form's policy document in Base64, as the services accept it.
  ///
  /// - Parameter fields: The signature scheme's fields with the values that the policy must require.
  public func policy(binding fields: [FormField]) -> String {
    let json = document(binding: fields)
    return String(writing: { writer in withBytes(of: json) { writer.append(base64: $0) } })
  }

  /// Returns the policy document as JSON, with the scheme's conditions after the condition on the bucket.
  package func document(binding fields: [FormField]) -> String {
    let boundFields = [FormField("bucket", policy.bucket)] + fields
    var documentConditions = boundFields.map { field -> JSONValue in [field.name: .string(field.value)] }
    if let sizes = policy.sizes {
      documentConditions.append([
        "content-length-range", .number(JSONNumber(sizes.lowerBound)), .number(JSONNumber(sizes.upperBound)),
      ])
    }
    documentConditions += conditions.map(\.json)
    let document: JSONValue = [
      "expiration": .string("\(policy.expiration.iso8601.dropLast()).000Z"), "conditions": .array(documentConditions),
    ]
    return String(decoding: document.serialized, as: UTF8.self)
  }

  /// Returns the signed form, which contains the signature scheme's fields.
  ///
  /// - Parameter fields: The fields that the scheme adds: the authorization, and the policy document as it was signed.
  public func signed(adding fields: [FormField]) -> SignedForm {
    let keyOrPrefix = policy.objects.keyOrPrefix
    var fixedFields = [FormField("key", policy.objects.isKey ? keyOrPrefix : keyOrPrefix + Self.fileNameVariable)]
    var openConditions: [FormCondition] = []
    for condition in conditions where condition.field != "key" {
      let name = condition.field.asciiLowercased == "content-type" ? "Content-Type" : condition.field
      guard let value = condition.rule.onlyValue else {
        openConditions.append(FormCondition(name, condition.rule))
        continue
      }
      let isRepeated = fixedFields.contains { $0.name.asciiLowercased == name.asciiLowercased }
      if !isRepeated { fixedFields.append(FormField(name, value)) }
    }
    return SignedForm(
      url: url, fields: fixedFields + fields, openConditions: openConditions, sizes: policy.sizes,
      expiration: policy.expiration.wholeSeconds)
  }
}

extension FormCondition {
  fileprivate var values: [String] {
    switch rule {
    case .equals(let text), .startsWith(let text): [text]
    case .oneOf(let texts), .noneOf(let texts): texts
    }
  }
}
