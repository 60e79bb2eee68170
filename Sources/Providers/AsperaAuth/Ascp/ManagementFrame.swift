// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A management frame: a message on ascp's management port.
///
/// A frame consists of a header with a version, fields, and an empty line. The format is that of aspera-cli
/// (`ascp/management.rb`) and matches ascp's own output. The order of the fields is preserved. A field can contain a
/// password or a token. Therefore the description shows the names of all fields, but only the values of a few fields
/// that contain neither secrets nor paths.
///
/// ```swift
/// if frame.kind == .error { print(frame.code ?? 0, frame.errorDescription ?? "") }
/// ```
package struct ManagementFrame: Sendable, Equatable {
  /// A kind of management frame that ascp sends or receives.
  package struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The value of the frame's field `Type`.
    package let rawValue: String

    /// Creates a kind from the field `Type`, which can be a kind that this package does not know.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The value of the frame's field `Type`.
    package var description: String { rawValue }

    /// A report that ascp has connected to the management port.
    package static let initial = Kind(rawValue: "INIT")
    /// A report that a session starts, which does not prove authentication because the account is checked later.
    package static let session = Kind(rawValue: "SESSION")
    /// A report with information from the server, such as the size of the whole transfer.
    package static let notification = Kind(rawValue: "NOTIFICATION")
    /// A report about the progress of the transfer.
    package static let statistics = Kind(rawValue: "STATS")
    /// A report that the transfer of a file starts, or a command that adds a file to a persistent session.
    package static let start = Kind(rawValue: "START")
    /// A report that the transfer of a file is complete.
    package static let stop = Kind(rawValue: "STOP")
    /// A report that the transfer of a file in the arguments is complete.
    package static let argumentStop = Kind(rawValue: "ARGSTOP")
    /// A report that a file was skipped because it already exists.
    package static let skip = Kind(rawValue: "SKIP")
    /// A report that the transfer of a file failed, after which the session continues.
    package static let fileError = Kind(rawValue: "FILEERROR")
    /// The last report of a session, which states that the session failed.
    package static let error = Kind(rawValue: "ERROR")
    /// The last report of a session that ended, or a command that no more files follow.
    package static let done = Kind(rawValue: "DONE")
    /// A command that stops the session.
    package static let cancel = Kind(rawValue: "CANCEL")
    /// A command that changes the target rate.
    package static let rate = Kind(rawValue: "RATE")
  }

  /// The protocol version in the frame's header.
  ///
  /// The parser accepts any number, and commands use version 2.
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

  /// The names of the frame's fields, in order.
  package var names: [String] { fields.map(\.name) }

  /// The values of the frame's fields, in order.
  var values: [String] { fields.map(\.value) }

  /// Returns the value of the frame's first field with the given name, or `nil` if the field is missing.
  ///
  /// A line break within a value cannot replace an earlier field, because only the first field with the name counts.
  ///
  /// - Parameter name: The field name. Uppercase and lowercase are not distinguished, because versions of ascp differ.
  package subscript(name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }
}

extension ManagementFrame: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private static let shown = [
    "Code", "Description", "SessionId", "Direction", "Operation", "TransferBytes", "StartByte", "PreTransferBytes",
  ]

  /// A description with the kind, the field values without secrets and paths, and the names of the other fields.
  package var description: String {
    let shown = Self.shown.compactMap { name in self[name].map { "\(name): \($0)" } }
    let others = names.filter { name in
      name.lowercased() != "type" && !Self.shown.contains { $0.lowercased() == name.lowercased() }
    }
    let texts = [kind?.rawValue ?? "without a type"] + shown + (others.isEmpty ? [] : ["others: \(others)"])
    return "ManagementFrame(\(texts.joined(separator: ", ")))"
  }

  /// The same text as ``description``.
  package var debugDescription: String { description }

  /// A mirror that contains only the kind and the error code.
  package var customMirror: Mirror {
    Mirror(self, children: ["kind": kind?.rawValue ?? "", "code": code ?? 0])
  }
}
