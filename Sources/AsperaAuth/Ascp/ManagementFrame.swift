/// A message of ascp's management port: a header with a version, fields, an empty line.
///
/// Every field is kept in its place. Fields can hold a password or a token: the description shows the names of all
/// fields, and the values of a few that are neither secrets nor paths.
///
/// ```swift
/// if frame.kind == .error { print(frame.code ?? 0, frame.errorDescription ?? "") }
/// ```
package struct ManagementFrame: Sendable, Equatable {
  /// What a frame tells, or what a command asks for.
  package struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The word in the field `Type`.
    package let rawValue: String

    /// Names a kind, also one that is not known here.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The word in the field `Type`.
    package var description: String { rawValue }

    /// ascp has connected to the management port.
    package static let initial = Kind(rawValue: "INIT")
    /// A session is set up, which proves nothing: the account is checked after it.
    package static let session = Kind(rawValue: "SESSION")
    /// Something that the server told, such as the size of the whole transfer.
    package static let notification = Kind(rawValue: "NOTIFICATION")
    /// How far the transfer is.
    package static let statistics = Kind(rawValue: "STATS")
    /// A file begins; as a command, a file to transfer in a persistent session.
    package static let start = Kind(rawValue: "START")
    /// A file is done.
    package static let stop = Kind(rawValue: "STOP")
    /// A file that was given as an argument is done.
    package static let argumentStop = Kind(rawValue: "ARGSTOP")
    /// A file was there already.
    package static let skip = Kind(rawValue: "SKIP")
    /// A file failed; the session goes on.
    package static let fileError = Kind(rawValue: "FILEERROR")
    /// The session failed: the last frame.
    package static let error = Kind(rawValue: "ERROR")
    /// The session ended: the last frame; as a command, that no more files follow.
    package static let done = Kind(rawValue: "DONE")
    /// As a command: stop.
    package static let cancel = Kind(rawValue: "CANCEL")
    /// As a command: another rate.
    package static let rate = Kind(rawValue: "RATE")
  }

  /// The version in the header; any number is read, 2 is written.
  package let version: Int

  private let fields: [Field]

  private struct Field: Sendable, Equatable {
    var name: String
    var value: String
  }

  init(version: Int, fields: [(name: String, value: String)]) {
    self.version = version
    self.fields = fields.map { Field(name: $0.name, value: $0.value) }
  }

  /// The names of the fields, in their order.
  package var names: [String] { fields.map(\.name) }

  /// The values of the fields, in their order.
  var values: [String] { fields.map(\.value) }

  /// The value of a field.
  ///
  /// - Parameter name: The name of the field; case does not count, because versions of ascp differ in it.
  /// - Returns: The first value of that name, so that a line break in a later value cannot replace it; nothing if there
  ///   is no such field.
  package subscript(name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }
}

extension ManagementFrame: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private static let shown = [
    "Code", "Description", "SessionId", "Direction", "Operation", "TransferBytes", "StartByte", "PreTransferBytes",
  ]

  /// The kind, the fields that hold no secret and no path, and the names of the others.
  package var description: String {
    let shown = Self.shown.compactMap { name in self[name].map { "\(name): \($0)" } }
    let others = names.filter { name in
      name.lowercased() != "type" && !Self.shown.contains { $0.lowercased() == name.lowercased() }
    }
    let texts = [kind?.rawValue ?? "without a type"] + shown + (others.isEmpty ? [] : ["others: \(others)"])
    return "ManagementFrame(\(texts.joined(separator: ", ")))"
  }

  /// The same as ``description``.
  package var debugDescription: String { description }

  /// A mirror with the kind and the code alone.
  package var customMirror: Mirror {
    Mirror(self, children: ["kind": kind?.rawValue ?? "", "code": code ?? 0])
  }
}
