extension ManagementFrame {
  /// A command: transfer a file in a persistent session.
  ///
  /// - Throws: An ``AsperaError`` if a path has a line break, which would end the field.
  package static func start(source: String, destination: String? = nil) throws(AsperaError) -> ManagementFrame {
    try command(.start, [("Source", source)] + (destination.map { [("Destination", $0)] } ?? []))
  }

  /// A command: no more files follow; the session ends when those that were given are through.
  package static let finish = ManagementFrame(version: 2, fields: [("Type", Kind.done.rawValue)])

  /// A command: stop now.
  package static let cancel = ManagementFrame(version: 2, fields: [("Type", Kind.cancel.rawValue)])

  /// A command: transfer with another target rate, in kilobits a second.
  package static func rate(_ kilobitsPerSecond: Int) -> ManagementFrame {
    ManagementFrame(version: 2, fields: [("Type", Kind.rate.rawValue), ("Rate", "\(kilobitsPerSecond)")])
  }

  /// A frame of any kind.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - fields: The other fields, in their order.
  /// - Throws: An ``AsperaError`` if a name or a value has a line break, which would end the field, or if a name has a
  ///   colon or is empty.
  package static func command(
    _ kind: Kind, _ fields: [(name: String, value: String)] = []
  ) throws(AsperaError) -> ManagementFrame {
    for (name, value) in [("Type", kind.rawValue)] + fields {
      let isName = !name.isEmpty && !name.unicodeScalars.contains { $0 == ":" || $0.isBreak }
      guard isName, !value.unicodeScalars.contains(where: \.isBreak) else {
        throw AsperaError(
          .invalidSpecification,
          "A field of a command to ascp holds a line break or a null character, or its name is no name.",
          remedy: "Rename the file; the management port has no way to write such a name.")
      }
    }
    return ManagementFrame(version: 2, fields: [("Type", kind.rawValue)] + fields)
  }

  /// The frame as it goes over the port, secrets included: the header, the fields, an empty line.
  package var text: String {
    let lines = zip(names, values).map { "\($0): \($1)\n" }
    return "FASPMGR \(version)\n\(lines.joined())\n"
  }
}

extension Unicode.Scalar {
  /// Whether it ends a line, or a text of C.
  var isBreak: Bool { self == "\n" || self == "\r" || self == "\0" }
}
