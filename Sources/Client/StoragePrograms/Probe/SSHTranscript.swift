// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The text that the SSH client prints to its standard error with the option `-vv`.
///
/// A server can make the client print any line, so that the transcript only explains the result of a login.
struct SSHTranscript {
  let lines: [Substring]

  init(_ text: String) {
    lines = text.split(whereSeparator: \.isNewline)
  }

  var serverVersion: String? {
    rest(of: "remote software version ").map { String($0.prefix { !$0.isWhitespace }) }
  }

  /// The method of the login that succeeded, in one of the two forms in which versions of OpenSSH report it.
  var method: AccountProbeReport.Method? {
    for line in lines.reversed() {
      for (prefix, suffix) in [("Authenticated to ", "\"."), ("debug1: Authentication succeeded (", ").")] {
        guard line.hasPrefix(prefix), line.hasSuffix(suffix) else { continue }
        return AccountProbeReport.Method(
          rawValue: String(line.dropLast(suffix.count).split(whereSeparator: { "\"(".contains($0) }).last ?? ""))
      }
    }
    return nil
  }

  /// The authentication methods that the server offered before the first attempt.
  var offeredMethods: [String]? {
    rest(of: "Authentications that can continue: ").map { $0.split(separator: ",").map { String($0) } }
  }

  /// The authentication methods that the server required in addition to a method that it accepted.
  var missingMethods: [String]? {
    guard has("with partial success") else { return nil }
    let last = lines.last { $0.contains("Authentications that can continue: ") }
    return last?.split(separator: ":").last?.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  func has(_ texts: String...) -> Bool {
    lines.contains { line in texts.contains { line.contains($0) } }
  }

  /// Returns the text after a string in the first line that contains the string.
  func rest(of text: String) -> Substring? {
    for line in lines {
      if let range = line.firstRange(of: text) { return line[range.upperBound...] }
    }
    return nil
  }

  /// The last line of the transcript that is not debug output.
  var lastMessage: String? {
    lines.last { !$0.hasPrefix("debug") && !$0.allSatisfy(\.isWhitespace) }.map { String($0) }
  }

  /// The maximum number of characters that are quoted, so that an error message stays readable.
  private static let printableLimit = 160

  /// Returns untrusted text in a form that is safe in an error message: one line of limited length.
  static func printable(_ text: some StringProtocol) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(printableLimit + 1) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return scalars.count > printableLimit ? String(scalars.dropLast()) + "…" : String(scalars)
  }
}
