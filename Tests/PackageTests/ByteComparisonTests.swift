import Foundation
import XCTest

/// What reads requests cuts and compares them by their bytes.
///
/// `String` takes `\u{37e}` for a semicolon and `\u{212a}` for a `K`, maps the latter to `k` in lower case, and joins an
/// accent to the character before it: each of these is a second reading of the same bytes. Wire identifiers are of types
/// that compare bytes (`WireText`, `AccessKeyID`); everything else that is cut out of a request goes through
/// `ExactText.swift`.
final class ByteComparisonTests: XCTestCase {
  /// The folders whose code reads what strangers send.
  private static let folders = [
    "Sources/StorageAuth/", "Sources/OSSAuth/", "Sources/COSAuth/", "Sources/LocalCloud/", "Sources/StorageAuthServer/",
    "Sources/S3Auth/", "Sources/CloudCredentials/Signing/",
  ]

  private static let refused = [
    #"split(separator: ""#, "split(\n", ".hasPrefix(", ".hasSuffix(", ".lowercased()", ".uppercased()",
    #"firstIndex(of: ""#, #"drop { $0 != ""#, #"prefix { $0 != ""#, "localizedCompare", "caseInsensitiveCompare",
    ".trimmingCharacters(", "components(separatedBy", #".first == ""#, #".last == ""#, ".isWhitespace", ".isNumber",
    ".isLetter", ".isNewline", ".isUppercase", ".isLowercase", #".replacing(""#,
  ]

  /// Characters that are counted off where bytes were compared, and one character looked for as a whole.
  private static func countsCharacters(_ line: String) -> Bool {
    line.contains(/\.drop(First|Last)\([\w.]+\.count/) || line.contains(/\.contains\("([^\w"]|\\")"\)/)
  }

  /// Lines that may stand, with the reason.
  private static let allowed = [
    #"String(text).split(separator: "::""#: "an address, of which each part is checked to be hexadecimal digits",
    #"Self.methods.split(separator: ", ")"#: "a list of the server's own",
    "bytes.dropFirst(mapped.count)": "bytes", "rest.dropFirst(taken.count)": "an array of lines",
    "names.dropFirst(": "an array of names", "names.first ==": "an array of names",
    "$0.isASCII && $0.isHexDigit": "letters and digits of ASCII alone", #"origins.contains("*")"#: "a set of origins",
    "WireText(parameter.name.string.lowercased())": "refuses every name that any folding makes one of the signature's",
  ]

  static func findings(in lines: [some StringProtocol]) -> [String] {
    lines.map { String($0) }.filter { line in
      let code = line.drop { $0 == " " }
      return !code.hasPrefix("//") && (refused.contains(where: line.contains) || countsCharacters(line))
        && !allowed.keys.contains(where: line.contains)
    }
  }

  func testWhatReadsRequestsCutsAndComparesBytes() throws {
    var seen: Set<String> = []
    for file in try SourceTree("Sources").files {
      guard let folder = Self.folders.first(where: file.path.hasPrefix) else { continue }
      seen.insert(folder)
      for line in Self.findings(in: file.lines) { XCTFail("\(file.path) reads characters and not bytes:\(line)") }
    }
    XCTAssertEqual(seen, Set(Self.folders))
  }

  func testReadingCharactersIsFound() {
    let lines = [
      #"  let parts = text.split(separator: ";")"#, #"  if name.hasPrefix("x-oss-") {"#, "  key.lowercased() == other",
      #"  let at = text.firstIndex(of: ":")"#, "  let rest = name.dropFirst(prefix.count)",
      #"  if text.contains("?") {"#, #"  if path.first == "/" {"#, "  text.drop(while: \\.isWhitespace)",
    ]
    XCTAssertEqual(Self.findings(in: lines), lines)
    XCTAssertEqual(Self.findings(in: [#"  // text.split(separator: ";")"#, #"  text.parts(between: ";")"#]), [])
  }
}
