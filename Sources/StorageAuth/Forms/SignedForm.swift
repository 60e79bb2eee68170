// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageJSON

/// A form field: its name and its value.
///
/// A value may be a signature or a session token: `print`, `dump` and `Mirror` do not show it.
public struct FormField: Sendable, Hashable {
  /// The name.
  public let name: String

  /// The value.
  public let value: String

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A form that carries its own authorization, with which a browser uploads a file.
///
/// It is posted as `multipart/form-data`: ``fields`` in their order, then fields that satisfy ``openConditions``, then
/// the file as the field ``fileField``, which must be the last one.
///
/// The form authorizes its bearer: treat it as a secret. `print`, `dump` and `Mirror` do not show its values; read
/// ``fields`` or ``json``.
public struct SignedForm: Sendable, Equatable {
  /// The name of the field with the file, which must be the last field.
  public static let fileField = "file"

  /// The URL to which the form is posted.
  public let url: String

  /// The fields that are sent before the file.
  ///
  /// In the key, `${filename}` stands for the file name; it may be replaced with another key that the policy allows.
  public let fields: [FormField]

  /// The conditions for which the web page must add fields, because the policy allows several values.
  public let openConditions: [FormCondition]

  /// The permitted size of the file in bytes, or `nil` if the policy does not limit it.
  public let sizes: ClosedRange<Int64>?

  /// The time at which the form expires, by the service's clock.
  public let expiration: Timestamp

  /// Creates a form; for implementations of signers.
  ///
  /// - Parameters:
  ///   - url: The URL to which the form is posted.
  ///   - fields: The fields that are sent before the file, including the authorization.
  ///   - openConditions: The conditions for which the web page must add fields.
  ///   - sizes: The permitted size of the file in bytes, or `nil` if the policy does not limit it.
  ///   - expiration: The time at which the form expires, by the service's clock.
  public init(
    url: String, fields: [FormField], openConditions: [FormCondition], sizes: ClosedRange<Int64>?, expiration: Timestamp
  ) {
    self.url = url
    self.fields = fields
    self.openConditions = openConditions
    self.sizes = sizes
    self.expiration = expiration
  }

  /// The form as JSON for a web page: `url`, `fields` as pairs of name and value, `fileField`, `openFields` and
  /// `expiration`.
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

  /// A mirror that contains only the name.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension SignedForm: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL, the field names and the expiration.
  public var description: String {
    "SignedForm(\(url), fields: [\(fields.map(\.name).joined(separator: ", "))], expires: \(expiration))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the field values.
  public var customMirror: Mirror { Mirror(self, children: ["url": url, "expiration": expiration]) }
}
