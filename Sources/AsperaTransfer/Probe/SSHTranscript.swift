/// What the SSH client wrote to its standard error with `-vv`.
///
/// A server can have any line printed there. What is read from it explains an outcome and decides none.
struct SSHTranscript {
  /// The lines without their ends.
  let lines: [Substring]

  /// Takes over a text.
  init(_ text: String) {
    lines = text.split(whereSeparator: \.isNewline)
  }

  /// What the server calls its software.
  var serverVersion: String? {
    rest(of: "remote software version ").map { String($0.prefix { !$0.isWhitespace }) }
  }

  /// The method that the server accepted.
  var method: AccountProbeReport.Method? {
    for line in lines.reversed() {
      for (start, end) in [("Authenticated to ", "\"."), ("debug1: Authentication succeeded (", ").")] {
        guard line.hasPrefix(start), line.hasSuffix(end) else { continue }
        return AccountProbeReport.Method(
          rawValue: String(line.dropLast(end.count).split(whereSeparator: { "\"(".contains($0) }).last ?? ""))
      }
    }
    return nil
  }

  /// The methods that the server offered before anything was tried; nothing if it did not come to that.
  var offeredMethods: [String]? {
    rest(of: "Authentications that can continue: ").map { $0.split(separator: ",").map { String($0) } }
  }

  /// The methods that the server wanted in addition to one that it accepted.
  var missingMethods: [String]? {
    guard has("with partial success") else { return nil }
    let last = lines.last { $0.contains("Authentications that can continue: ") }
    return last?.split(separator: ":").last?.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  /// Whether a text is in one of the lines.
  func has(_ texts: String...) -> Bool {
    lines.contains { line in texts.contains { line.contains($0) } }
  }

  /// The text that follows another one in the first line that has it.
  func rest(of text: String) -> Substring? {
    for line in lines {
      if let range = line.firstRange(of: text) { return line[range.upperBound...] }
    }
    return nil
  }

  /// The last line that the client did not write for debugging.
  var lastWord: String? {
    lines.last { !$0.hasPrefix("debug") && !$0.allSatisfy(\.isWhitespace) }.map { String($0) }
  }

  /// A text of the other side as it may stand in an error: one line of at most 160 characters.
  static func printable(_ text: some StringProtocol) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(161) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return scalars.count > 160 ? String(scalars.dropLast()) + "…" : String(scalars)
  }
}
