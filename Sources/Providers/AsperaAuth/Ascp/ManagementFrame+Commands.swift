// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension ManagementFrame {
  /// Creates a management frame that commands ascp to add a file to a persistent session.
  ///
  /// - Throws: An ``AsperaError`` if a path contains a line break or a NUL, which would end the field.
  package static func start(source: String, destination: String? = nil) throws(AsperaError) -> ManagementFrame {
    try command(.start, [("Source", source)] + (destination.map { [("Destination", $0)] } ?? []))
  }

  /// The command that ends a persistent session after the transfer of all files that were added.
  package static let finish = ManagementFrame(version: 2, fields: [("Type", Kind.done.rawValue)])

  /// The command that stops the session immediately.
  package static let cancel = ManagementFrame(version: 2, fields: [("Type", Kind.cancel.rawValue)])

  /// Creates a management frame that commands ascp to change the target rate, in kilobits per second.
  package static func rate(_ kilobitsPerSecond: Int) -> ManagementFrame {
    ManagementFrame(version: 2, fields: [("Type", Kind.rate.rawValue), ("Rate", "\(kilobitsPerSecond)")])
  }

  /// Creates a management frame of the given kind.
  ///
  /// - Parameters:
  ///   - kind: The kind of frame, which becomes the field `Type`.
  ///   - fields: The other fields, in order.
  /// - Throws: An ``AsperaError`` if a name or a value contains a line break or a NUL, which would end the field, or if
  ///   a name is empty or contains a colon.
  package static func command(
    _ kind: Kind, _ fields: [(name: String, value: String)] = []
  ) throws(AsperaError) -> ManagementFrame {
    for (name, value) in [("Type", kind.rawValue)] + fields {
      let isName = !name.isEmpty && !name.unicodeScalars.contains { $0 == ":" || $0.isBreak }
      guard isName, !value.unicodeScalars.contains(where: \.isBreak) else {
        throw AsperaError(
          .invalidSpecification,
          "A field of a command to ascp has a line break or a null character, or its name is empty or has a colon.",
          remedy: "Rename the file; the management port cannot encode such a name.")
      }
    }
    return ManagementFrame(version: 2, fields: [("Type", kind.rawValue)] + fields)
  }

  /// The frame in ascp's text format, including secrets: the header, the fields and an empty line.
  package var text: String {
    let lines = zip(names, values).map { "\($0): \($1)\n" }
    return "FASPMGR \(version)\n\(lines.joined())\n"
  }
}

extension Unicode.Scalar {
  /// Whether the character ends a line, or a string in C.
  var isBreak: Bool { self == "\n" || self == "\r" || self == "\0" }
}
