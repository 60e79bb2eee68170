// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A management frame: a message on ascp's management port.
///
/// A frame consists of a header with a version, fields, and an empty line. The format is that of aspera-cli
/// (`ascp/management.rb`) and matches ascp's own output. A field can contain a password or a token. Therefore the
/// description shows the names of all fields, but only values of fields without secrets and paths.
package struct ManagementFrame: Sendable, Equatable, Redacted {
  package struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value of the frame's field `Type`, which can be a kind that this package does not know.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }

    package static let initial = Kind(rawValue: "INIT")
    /// A report that a session starts, which does not prove authentication because the account is checked later.
    package static let session = Kind(rawValue: "SESSION")
    package static let notification = Kind(rawValue: "NOTIFICATION")
    package static let statistics = Kind(rawValue: "STATS")
    /// A report that the transfer of a file starts, or a command that adds a file to a persistent session.
    package static let start = Kind(rawValue: "START")
    package static let stop = Kind(rawValue: "STOP")
    package static let skip = Kind(rawValue: "SKIP")
    /// A report that the transfer of a file failed, after which the session continues.
    package static let fileError = Kind(rawValue: "FILEERROR")
    /// The last report of a session, which states that the session failed.
    package static let error = Kind(rawValue: "ERROR")
    /// The last report of a session that ended, or a command that no more files follow.
    package static let done = Kind(rawValue: "DONE")
    package static let cancel = Kind(rawValue: "CANCEL")
  }

  /// The protocol version in the frame's header, which is 2 in commands and any number in reports.
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

  package var names: [String] { fields.map(\.name) }

  /// The value of the first field with a name in any case: a line break in a value cannot replace an earlier field.
  package subscript(name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }

  private static let describedFields = [
    "Code", "Description", "SessionId", "Direction", "Operation", "TransferBytes", "StartByte", "PreTransferBytes",
  ]

  package var description: String {
    let values = Self.describedFields.compactMap { name in self[name].map { "\(name): \($0)" } }
    let shownNames = ["type"] + Self.describedFields.map { $0.lowercased() }
    let otherNames = names.filter { !shownNames.contains($0.lowercased()) }
    let parts = [kind?.rawValue ?? "without a type"] + values + (otherNames.isEmpty ? [] : ["others: \(otherNames)"])
    return "ManagementFrame(\(parts.joined(separator: ", ")))"
  }

  package static func start(source: String, destination: String? = nil) throws(AsperaError) -> ManagementFrame {
    try command(.start, [("Source", source)] + (destination.map { [("Destination", $0)] } ?? []))
  }

  package static let finish = ManagementFrame(uncheckedCommand: .done)
  package static let cancel = ManagementFrame(uncheckedCommand: .cancel)

  private init(uncheckedCommand kind: Kind, _ fields: [(name: String, value: String)] = []) {
    self.init(version: 2, fields: [("Type", kind.rawValue)] + fields)
  }

  /// Creates a command, or throws if a field cannot be encoded, for example because of a line break.
  package static func command(
    _ kind: Kind, _ fields: [(name: String, value: String)] = []
  ) throws(AsperaError) -> ManagementFrame {
    for (name, value) in [("Type", kind.rawValue)] + fields {
      let isFieldName = !name.isEmpty && !name.unicodeScalars.contains { $0 == ":" || $0.isLineBreakOrNUL }
      guard isFieldName, !value.unicodeScalars.contains(where: \.isLineBreakOrNUL) else {
        throw AsperaError(
          .invalidSpecification,
          "A field of a command to ascp has a line break or a null character, or its name is empty or has a colon.",
          remedy: "Rename the file; the management port cannot encode such a name.")
      }
    }
    return ManagementFrame(uncheckedCommand: kind, fields)
  }

  /// The frame in ascp's text format, including secrets: the header, the fields and an empty line.
  package var text: String { "FASPMGR \(version)\n\(fields.map { "\($0.name): \($0.value)\n" }.joined())\n" }
}

extension Unicode.Scalar {
  var isLineBreakOrNUL: Bool { self == "\n" || self == "\r" || self == "\0" }
}

/// The values of fields, each of which is `nil` if the field is missing or malformed.
extension ManagementFrame {
  package var kind: Kind? { self["Type"].map { Kind(rawValue: $0) } }
  /// The number of an ``AscpErrorCode`` (`Code`).
  package var code: Int? { integer("Code") }
  package var errorDescription: String? { self["Description"] }
  package var filePath: String? { self["File"] ?? self["Source"] }

  /// The number of bytes so far: `TransferBytes` of this session, and `StartByte`, at which it resumed.
  package var transferredByteCount: Int64? {
    guard let transferred: Int64 = integer("TransferBytes") else { return nil }
    return transferred.checkedAdding(integer("StartByte") ?? 0)
  }

  package var totalByteCount: Int64? { integer("PreTransferBytes") }
  package var fileByteCount: Int64? { integer("Size") }

  package func integer<Number: FixedWidthInteger & SignedInteger>(_ name: String) -> Number? {
    self[name].flatMap { Number(signedDigits: $0) }
  }

  /// Whether the frame proves that the server has accepted the account and the token.
  ///
  /// ascp sends `SESSION` before the server checks the account, even if the next frame reports a rejection. `STATS`,
  /// `NOTIFICATION` and a `DONE` without an error are sent only after the check.
  package var provesAuthentication: Bool {
    switch kind {
    case .statistics, .notification: true
    case .done: (code ?? 0) == 0
    default: false
    }
  }

  package var failureClass: AscpFailureClass? {
    guard kind == .error || kind == .fileError || (kind == .done && (code ?? 0) != 0) else { return nil }
    return AscpErrorCode.classify(code: code, text: errorDescription ?? "")
  }
}
