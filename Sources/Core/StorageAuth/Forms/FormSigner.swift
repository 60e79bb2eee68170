// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A signer of upload forms, with which a browser uploads a file directly to the storage service.
///
/// ```swift
/// let form = try signer.sign(policy, to: .oss(region: "cn-hangzhou"), with: key, in: .now)
/// ```
public protocol FormSigner<SigningCredential>: Sendable {
  /// The type of the credentials that sign forms.
  associatedtype SigningCredential: Credential

  /// Creates a signed upload form.
  ///
  /// - Parameters:
  ///   - policy: The upload that the form permits.
  ///   - endpoint: The endpoint of the service that receives the form.
  ///   - credential: The credential that signs the form.
  ///   - context: The time of signing.
  /// - Throws: A ``SigningError`` for a policy that the service cannot express, or an anonymous or expiring credential.
  func sign(
    _ policy: FormPolicy, to endpoint: ServiceEndpoint, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> SignedForm
}

/// A field of an upload form, with its name and value.
///
/// A value may be a signature or a session token: `print`, `dump` and `Mirror` do not show it.
public struct FormField: Sendable, Hashable {
  /// The name of the form field.
  public let name: String
  /// The value of the form field in plain text.
  public let value: String

  /// Creates a form field from its name, such as `key` or `policy`, and its value.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension FormField: Redacted {
  /// The form field's name, with its value masked.
  public var description: String { "\(name): \(Secret.mask)" }
}

/// A form that contains its own authorization, with which a browser uploads a file.
///
/// The form is posted as `multipart/form-data`: first ``fields`` in their order, then fields that satisfy
/// ``openConditions``, then the file as the field ``fileField``, which must be the last field.
///
/// The form authorizes its bearer: it is a secret. `print`, `dump` and `Mirror` do not show its values; read ``fields``.
public struct SignedForm: Sendable, Equatable {
  /// The name of the form field that contains the file, which must be the last field.
  public static let fileField = "file"

  /// The URL to which the form is posted.
  public let url: String
  /// The form fields that are sent before the file, including the authorization.
  ///
  /// In the key, `${filename}` stands for the file name. A web page may set another key that the policy allows.
  public let fields: [FormField]
  /// The conditions for which the web page must add form fields, because the policy allows several values.
  public let openConditions: [FormCondition]
  /// The permitted size of the file in bytes, or `nil` if the policy does not limit the size.
  public let sizes: ClosedRange<Int64>?
  /// The time at which the form expires, according to the service's clock.
  public let expiration: Timestamp

  /// Creates a signed form, for implementations of ``FormSigner``; the parameters are the properties.
  public init(
    url: String, fields: [FormField], openConditions: [FormCondition], sizes: ClosedRange<Int64>?, expiration: Timestamp
  ) {
    self.url = url
    self.fields = fields
    self.openConditions = openConditions
    self.sizes = sizes
    self.expiration = expiration
  }

  /// The form as JSON for a web page: `url`, `fields` as pairs, `fileField`, `openFields` and `expiration`.
  public var json: String {
    let pairs = fields.map { JSONValue.array([.string($0.name), .string($0.value)]) }
    let document: JSONValue = [
      "url": .string(url), "fields": .array(pairs), "fileField": .string(Self.fileField),
      "openFields": .array(openConditions.map { .string($0.field) }), "expiration": .string(expiration.iso8601),
    ]
    return String(decoding: document.serialized, as: UTF8.self)
  }
}

extension SignedForm: Redacted {
  /// The form's URL, field names and expiration, without the field values.
  public var description: String {
    "SignedForm(\(url), fields: [\(fields.map(\.name).joined(separator: ", "))], expires: \(expiration))"
  }
}
