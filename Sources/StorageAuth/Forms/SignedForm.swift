internal import StorageJSON

/// A field of a form: its name and its value.
///
/// Values may be signatures and session tokens; they are not shown by `print`, `dump` or `Mirror`.
public struct FormField: Sendable, Hashable {
  /// The name.
  public let name: String

  /// The value.
  public let value: String

  /// Makes a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A form that carries its own authorization, for a browser that uploads a file with it.
///
/// It is posted as `multipart/form-data`: ``fields`` in their order, then what ``openConditions`` ask for, then the file
/// as the field ``fileField``, and nothing after it.
///
/// Whoever has the form has the right that it stands for: treat it as a secret. It is not shown by `print`, `dump` or
/// `Mirror`; ask for ``fields`` or ``json``.
public struct SignedForm: Sendable, Equatable {
  /// The name of the field with the file, which has to be the last one.
  public static let fileField = "file"

  /// The URL that the form is posted to.
  public let url: String

  /// The fields that are sent before the file.
  ///
  /// In the key, `${filename}` stands for the name of the file; another key that the policy allows may be put in its
  /// place.
  public let fields: [FormField]

  /// What the page has to add fields for, because the policy leaves a choice.
  public let openConditions: [FormCondition]

  /// How many bytes the file may have, where the policy says so.
  public let sizes: ClosedRange<Int64>?

  /// When the form stops working, in the service's time.
  public let expiration: Timestamp

  /// Puts a form together; for signers.
  ///
  /// - Parameters:
  ///   - url: The URL that the form is posted to.
  ///   - fields: The fields that are sent before the file, the authorization among them.
  ///   - openConditions: What the page has to add fields for.
  ///   - sizes: How many bytes the file may have, or `nil` if the policy does not say.
  ///   - expiration: When the form stops working, in the service's time.
  public init(
    url: String, fields: [FormField], openConditions: [FormCondition], sizes: ClosedRange<Int64>?, expiration: Timestamp
  ) {
    self.url = url
    self.fields = fields
    self.openConditions = openConditions
    self.sizes = sizes
    self.expiration = expiration
  }

  /// The form for a page: `url`, `fields` as pairs of name and value, `fileField`, `openFields` and `expiration`.
  public var json: String {
    let pairs = fields.map { JSONValue.array([.string($0.name), .string($0.value)]) }
    let document: JSONValue = [
      "url": .string(url), "fields": .array(pairs), "fileField": .string(Self.fileField),
      "openFields": .array(openConditions.map { .string($0.field) }), "expiration": .string(expiration.iso8601),
    ]
    return String(decoding: document.serialized, as: UTF8.self)
  }
}

extension FormField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name; the value is masked.
  public var description: String { "\(name): \(Secret.mask)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror with the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension SignedForm: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL, the names of the fields and the expiry.
  public var description: String {
    "SignedForm(\(url), fields: [\(fields.map(\.name).joined(separator: ", "))], expires: \(expiration))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the values of the fields.
  public var customMirror: Mirror { Mirror(self, children: ["url": url, "expiration": expiration]) }
}
