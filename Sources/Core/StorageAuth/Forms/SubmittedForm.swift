// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A form as received, without the bytes of the uploaded file.
public struct SubmittedForm: Sendable {
  /// The bucket to which the form was posted.
  public let bucket: String
  /// The form fields before the file, in their order.
  public let fields: [FormField]
  /// The name of the uploaded file as the browser sent it, or `nil` if the browser sent no name.
  public let fileName: String?
  /// The media type that the browser sent with the file, or `nil` if the browser sent no media type.
  public let fileType: String?

  /// Creates a submitted form from its fields; the parameters are the properties.
  public init(bucket: String, fields: [FormField], fileName: String? = nil, fileType: String? = nil) {
    self.bucket = bucket
    self.fields = fields
    self.fileName = fileName
    self.fileType = fileType
  }

  /// Returns the value of the first form field with a case-insensitive name, or `nil` if the form has no such field.
  public subscript(_ name: String) -> String? {
    let name = name.asciiLowercased
    return fields.first { $0.name.asciiLowercased == name }?.value
  }

  /// The key of the uploaded object, in which the last component of the file name replaces `${filename}`.
  var key: String? {
    guard let key = self["key"] else { return nil }
    // Some browsers send the path of the file, with the separators of their system.
    let nameBytes = (fileName ?? "").utf8.reversed().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }
    let bytes = Array(key.utf8).replacing(Array(FormDraft.fileNameVariable.utf8), with: nameBytes.reversed())
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Checks that no field appears twice in the form; for implementations of ``FormVerifier``.
  ///
  /// - Throws: A ``VerificationError`` with the code ``VerificationError/Code/ambiguous`` if a field appears twice.
  public func checkFields() throws(VerificationError) {
    var names: Set<String> = []
    for field in fields where !names.insert(field.name.asciiLowercased).inserted {
      throw .ambiguous("A field of the form appears twice.")
    }
  }

  /// Returns the value of a required form field, which must not be empty; for implementations of ``FormVerifier``.
  ///
  /// - Parameter name: The case-insensitive field name.
  /// - Throws: A ``VerificationError`` with the code `malformed` if the field is missing or empty.
  public func required(_ name: String) throws(VerificationError) -> String {
    guard let value = self[name], !value.isEmpty else {
      throw VerificationError(.malformed, "The form has no field \(name).", remedy: "Send it before the file.")
    }
    return value
  }
}

extension SubmittedForm: Redacted {
  /// The bucket and the names of the form fields, without the field values.
  public var description: String { "SubmittedForm(\(bucket), fields: [\(fields.map(\.name).joined(separator: ", "))])" }
}

extension VerificationLimits {
  /// Checks the number of a form's fields against ``parameterCount``, and their length against ``headerByteCount``.
  ///
  /// - Throws: A ``VerificationError`` with the code `limitExceeded` if the form exceeds a limit.
  public func check(_ form: SubmittedForm) throws(VerificationError) {
    let byteCount = form.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard form.fields.count <= parameterCount, byteCount <= headerByteCount else {
      throw VerificationError(
        .limitExceeded, "The form has more than \(parameterCount) fields, or more than \(headerByteCount) bytes.",
        remedy: "Send less; the file has no such limit.")
    }
  }
}
