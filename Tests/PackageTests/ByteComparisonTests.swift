// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Byte-wise splitting and comparison in all code that parses requests.
///
/// `String` treats `\u{37e}` as a semicolon and `\u{212a}` as a `K`, lowercases the latter to `k`, and joins an accent
/// to the character before it: each of these is a second interpretation of the same bytes. Wire identifiers are of
/// types that compare bytes (`ByteExactString`, `AccessKeyID`); all other parts of a request are split with the functions
/// in `String+Bytes.swift`.
final class ByteComparisonTests: XCTestCase {
  /// The folders whose code parses input of untrusted clients.
  private static let folders = [
    "Sources/Core/StorageAuth/", "Sources/Providers/OSSAuth/", "Sources/Providers/COSAuth/",
    "Sources/Testing/LocalCloud/", "Sources/Server/StorageAuthServer/",
    "Sources/Providers/S3Auth/", "Sources/Core/CredentialSources/Signing/",
  ]

  /// The folders in which only the signatures parse such input, and the rest reads settings of this machine and
  /// responses of token services.
  private static let settings =
    ["OSSAuth", "COSAuth", "S3Auth"].map { "Sources/Providers/\($0)/Credentials/" } + [
      "Sources/Core/StorageAuth/Context/"
    ]

  private static let refused = [
    #"split(separator: ""#, "split(\n", ".hasPrefix(", ".hasSuffix(", "lowercased()", "uppercased()",
    #"firstIndex(of: ""#, #"drop { $0 != ""#, #"prefix { $0 != ""#, "localizedCompare", "caseInsensitiveCompare",
    ".trimmingCharacters(", "components(separatedBy", #".first == ""#, #".last == ""#, ".isWhitespace", ".isNumber",
    ".isLetter", ".isNewline", ".isUppercase", ".isLowercase", #".replacing(""#,
  ]

  /// Whether a line counts characters after a comparison of bytes, or searches for a single character.
  private static func countsCharacters(_ line: String) -> Bool {
    // A search for a text is many times faster than one for a pattern.
    guard [".drop", ".index(", ".contains(\""].contains(where: line.contains) else { return false }
    return line.contains(/\.drop(First|Last)\([\w.]+\.count|bytes\(from: [^)]*\)\.drop/)
      || line.replacing(/(utf8|bytes|scalars)\.index\((after|before):/, with: "").contains(/\.index\((after|before):/)
      || line.contains(/\.contains\("([^\w"]|\\")"\)/)
  }

  /// Permitted lines, with the reason.
  private static let allowed = [
    #"String(text).split(separator: "::""#: "an address whose parts are checked to be hexadecimal digits",
    #"Self.methods.split(separator: ", ")"#: "a list that the server defines",
    "bytes.dropFirst(mappedPrefix.count)": "bytes", "rest.dropFirst(piece.count)": "bytes",
    #"principals?.contains("*")"#: "an array of names", "remaining.dropFirst(lines.count)": "an array of lines",
    "names.dropFirst(": "an array of names", "names.first ==": "an array of names",
    "segments.first ==": "an array of segments",
    "$0.isASCII && $0.isHexDigit": "only ASCII letters and digits", #"origins.contains("*")"#: "a set of origins",
    #"unicodeScalars.split(whereSeparator: \.properties.isWhitespace)"#: "Unicode scalars, not characters",
    #"unicodeScalars.allSatisfy(\.properties.isWhitespace)"#: "Unicode scalars, not characters",
    "trimming { $0.properties.isWhitespace }": "Unicode scalars, not characters",
    "names.subtracting(listingParameters).map { $0.lowercased() }": "a list that the package defines",
    "parameter.name.string.uppercased().lowercased()": "refuses every name that case folding maps to an operation",
    "ByteExactString(parameter.name.string.lowercased())":
      "rejects every name that case folding maps to a signature parameter",
  ]

  static func findings(in lines: [some StringProtocol]) -> [String] {
    lines.map { String($0) }.filter { line in
      let code = line.drop { $0 == " " }
      return !code.hasPrefix("//") && (refused.contains(where: line.contains) || countsCharacters(line))
        && !allowed.keys.contains(where: line.contains)
    }
  }

  func testRequestParsersSplitAndCompareBytes() throws {
    var seen: Set<String> = []
    for file in try SourceTree("Sources").files {
      guard let folder = Self.folders.first(where: file.path.hasPrefix) else { continue }
      seen.insert(folder)
      if Self.settings.contains(where: file.path.hasPrefix), !file.path.hasSuffix("Signature.swift") { continue }
      for line in Self.findings(in: file.lines) {
        XCTFail("\(file.path) processes characters instead of bytes:\(line)")
      }
    }
    XCTAssertEqual(seen, Set(Self.folders))
  }

  func testLintFindsCharacterProcessing() {
    let lines = [
      #"  let parts = text.split(separator: ";")"#, #"  if name.hasPrefix("x-oss-") {"#, "  key.lowercased() == other",
      "  let own = lowercased()",
      #"  let at = text.firstIndex(of: ":")"#, "  let rest = name.dropFirst(prefix.count)",
      #"  let query = path.bytes(from: "?").dropFirst()"#, #"  if text.contains("?") {"#,
      #"  if path.first == "/" {"#, "  text.drop(while: \\.isWhitespace)",
    ]
    XCTAssertEqual(Self.findings(in: lines), lines)
    XCTAssertEqual(Self.findings(in: [#"  // text.split(separator: ";")"#, #"  text.parts(between: ";")"#]), [])
  }
}
