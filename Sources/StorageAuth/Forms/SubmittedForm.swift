/// A form as it arrived, up to the bytes of the file.
public struct SubmittedForm: Sendable {
  /// The bucket that it was posted to.
  public let bucket: String

  /// The fields before the file, in their order.
  public let fields: [FormField]

  /// The name of the file, as the browser gave it.
  public let fileName: String?

  /// The media type that came with the file.
  public let fileType: String?

  /// Describes a form.
  ///
  /// - Parameters:
  ///   - bucket: The bucket that it was posted to.
  ///   - fields: The fields before the file, in their order.
  ///   - fileName: The name of the file, as the browser gave it.
  ///   - fileType: The media type that came with the file.
  public init(bucket: String, fields: [FormField], fileName: String? = nil, fileType: String? = nil) {
    self.bucket = bucket
    self.fields = fields
    self.fileName = fileName
    self.fileType = fileType
  }

  /// The value of a field, in upper or lower case; nothing if it is not there.
  public subscript(_ name: String) -> String? {
    let name = name.asciiLowercased
    return fields.first { $0.name.asciiLowercased == name }?.value
  }

  /// The key of the object: `${filename}` is replaced by the last part of the file's name.
  var key: String? {
    guard let key = self["key"] else { return nil }
    let name = (fileName ?? "").parts(between: "/").last.map { String($0).parts(between: "\\") }?.last
    let bytes = Array(key.utf8).replacing(Array(FormDraft.fileNameVariable.utf8), with: Array((name ?? "").utf8))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Refuses a form with a field that is there twice; for form verifiers.
  ///
  /// - Throws: ``VerificationError/Code/ambiguous``.
  public func checkFields() throws(VerificationError) {
    var names: Set<String> = []
    for field in fields where !names.insert(field.name.asciiLowercased).inserted {
      throw .ambiguous("A field of the form is there twice.")
    }
  }

  /// Returns the value of a field that has to be there and not be empty; for form verifiers.
  ///
  /// - Parameter name: The name, in upper or lower case.
  /// - Throws: ``VerificationError/Code/malformed``.
  public func required(_ name: String) throws(VerificationError) -> String {
    guard let value = self[name], !value.isEmpty else {
      throw VerificationError(
        .malformed, "The form has no field \(name).", remedy: "Send it before the file.")
    }
    return value
  }
}

extension SubmittedForm: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The bucket and the names of the fields.
  public var description: String {
    "SubmittedForm(\(bucket), fields: [\(fields.map(\.name).joined(separator: ", "))])"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the values of the fields.
  public var customMirror: Mirror { Mirror(self, children: ["bucket": bucket]) }
}

extension VerificationLimits {
  /// Refuses a form that has more fields than parameters are allowed, or longer ones than headers; for form verifiers.
  ///
  /// - Parameter form: The form as it arrived.
  /// - Throws: ``VerificationError/Code/limitExceeded``.
  public func check(_ form: SubmittedForm) throws(VerificationError) {
    let bytes = form.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard form.fields.count <= parameterCount, bytes <= headerByteCount else {
      throw VerificationError(
        .limitExceeded, "The form has more than \(parameterCount) fields or \(headerByteCount) bytes of them.",
        remedy: "Send less; the file has no such limit.")
    }
  }
}
