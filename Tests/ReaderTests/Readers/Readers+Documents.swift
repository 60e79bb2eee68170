// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting

@testable import COSAuth
@testable import CredentialSources
@testable import LocalCloud

/// Readers of documents: JSON, XML, INI, YAML and policies.
extension Reader {
  static let documents = [json, xml, ini, yaml, sessionPolicies]

  private static let jsonShapes: Growths.Shapes = [
    "deep arrays": { repeated("[", to: $0) }, "deep objects": { repeated(#"{"a":"#, to: $0) },
    "many members": { "{\(numbered(to: $0, separator: ",") { "\"a\($0)\":1" })}" },
    "one member again and again": { "{\(repeated(#""a":1,"#, to: $0))\"b\":1}" },
    "escapes": { "\"\(repeated(#"\u0041\n"#, to: $0))\"" },
    "surrogates": { "\"\(repeated(#"\ud83d\ude00"#, to: $0))\"" },
    "a long number": { repeated("1", to: $0) },
    "a long fraction": { "0.\(repeated("1", to: $0))e\(repeated("9", to: 64))" },
    "many numbers": { "[\(repeated("1,", to: $0))1]" }, "an open string": { "\"" + repeated("a", to: $0) },
    "blanks": { repeated(" \n", to: $0) + "1" }, "many strings": { "[\(repeated(#""a","#, to: $0))1]" },
    "an error at the end": { "[\(repeated("1,\n", to: $0))]" },
    "names that are one for Swift": { size in
      "{\(numbered(to: size, separator: ",") { "\"\($0 % 2 == 0 ? "e\u{301}" : "\u{E9}")\($0)\":1" })}"
    },
  ]

  private static let jsonGrowths = Growths.bytes(jsonShapes, size: 8192) { bytes in
    guard let value = try? JSONValue(parsing: bytes) else { return }
    _ = value.serialized
    _ = value.object.map { object in object.names.allSatisfy { object[$0] != nil } }
  }

  private static let json = Reader(name: "json", growths: jsonGrowths) { input, _ in
    guard let value = try? JSONValue(parsing: input) else { return false }
    let text = value.serialized
    try require(try JSONValue(parsing: text) == value, "JSON differs after encoding and parsing")
    try require(try JSONValue(parsing: text).serialized == text, "JSON that is encoded twice differs")
    return true
  }

  private static let xmlShapes: Growths.Shapes = [
    "many attributes": { "<a \(numbered(to: $0, separator: " ") { "a\($0)=''" })/>" },
    "one attribute again and again": { "<a \(repeated("a='' ", to: $0))/>" },
    "elements full of attributes": { size in
      let element = "<b \(numbered(to: 400, separator: " ") { "a\($0)=''" })/>"
      return "<a>\(repeated(element, to: size))</a>"
    },
    "deep elements": { repeated("<a>", to: $0) },
    "elements as deep as they may be": { size in
      let element = String(repeating: "<a>", count: 60) + String(repeating: "</a>", count: 60)
      return "<a>\(repeated(element, to: size))</a>"
    },
    "many small elements": { "<a>\(repeated("<b/>", to: $0))</a>" },
    "many references": { "<a>\(repeated("&amp;&#65;", to: $0))</a>" },
    "an unfinished reference": { "<a>\(repeated("&", to: $0))</a>" },
    "comments and text": { "<a>\(repeated("x<!---->", to: $0))</a>" },
    "unfinished comments": { "<a>\(repeated("<!-", to: $0))</a>" },
    "a comment of hyphens": { "<a><!--\(repeated("- ", to: $0))</a>" },
    "brackets": { "<a><![CDATA[\(repeated("]", to: $0))]]></a>" },
    "instructions": { "\(repeated("<?b ??>", to: $0))<a/>" },
    "questions": { "<a><?b \(repeated("?", to: $0))</a>" },
    "carriage returns": { "<a>\(repeated("\r", to: $0))</a>" },
    "a long name": { "<\(repeated("a", to: $0))/>" },
    "a character in the way": { "<a>\(repeated("x\n", to: $0))\u{1}</a>" },
    "blanks": { repeated(" ", to: $0) + "<a/>" },
    "letters of three bytes": { "<a>\(repeated("\u{65E5}", to: $0))</a>" },
  ]

  private static let xmlGrowths = Growths.bytes(xmlShapes, size: 8192) { _ = try? XMLNode.parse($0) }

  private static let xml = Reader(name: "xml", growths: xmlGrowths) { input, _ in
    guard let node = try? XMLNode.parse(input) else { return false }
    let bytes = node.serialized()
    guard let again = try? XMLNode.parse(bytes) else { return true }
    try require(again.serialized() == bytes, "XML that is encoded twice differs")
    return true
  }

  private static let iniGrowths = Growths.bytes([
    "many sections": { numbered(to: $0) { "[s\($0)]\na=b\n" } },
    "one section again and again": { repeated("[s]\n", to: $0) },
    "many keys": { "[s]\n" + numbered(to: $0) { "k\($0) = v # c\n" } },
    "one key again and again": { "[s]\n" + repeated("k=v\n", to: $0) },
    "a long line": { "[s]\nk = " + repeated("v ", to: $0) }, "blank lines": { repeated("\n", to: $0) + "[s]" },
    "quotation marks": { "[s]\nk = " + repeated("\"'", to: $0) },
    "nested settings": { "[s]\nk =\n" + numbered(to: $0) { "  k\($0) = v\n" } },
    "comments": { repeated("# ; \r\n", to: $0) },
  ]) { bytes in
    for dialect in [INIDocument.Dialect(), .init(removesQuotes: false, hasNestedSettings: true)] {
      guard let document = try? INIDocument(bytes, at: Samples.place, dialect: dialect) else { return }
      for name in document.names.prefix(1) { _ = try? document.section(name, at: Samples.place) }
    }
  }

  private static let ini = Reader(name: "ini", growths: iniGrowths) { input, _ in
    guard let document = try? INIDocument(input, at: Samples.place) else { return false }
    for name in document.names {
      do {
        let table = try document.section(name, at: Samples.place)
        _ = try table?.key(
          .init(id: "access_key_id", secret: "access_key_secret", token: "token", expiration: "expiration"))
        _ = try table?.integer("number")
      } catch {
        try requireNoSecret(in: "\(error)", of: [])
      }
    }
    return !document.names.isEmpty
  }

  private static let yamlGrowths = Growths.bytes([
    "many keys": { "cos:\n  base:\n" + numbered(to: $0) { "    k\($0): v\n" } },
    "one key again and again": { "cos:\n  base:\n" + repeated("    k: v\n", to: $0) },
    "deeper and deeper": { size in
      var lines: [String] = []
      var count = 0
      while count < size {
        lines.append(String(repeating: " ", count: lines.count) + "k:")
        count += lines.count + 2
      }
      return lines.joined(separator: "\n")
    },
    "up and down": { repeated("a:\n  b:\n    c:\n", to: $0) }, "a long line": { "cos: " + repeated("v ", to: $0) },
    "quotation marks": { "cos:\n  base:\n    k: '" + repeated("''", to: $0) + "'" },
    "comments": { repeated("# x\n", to: $0) },
  ]) { bytes in _ = try? YAMLMapping(bytes, path: ["cos", "base"], at: Samples.place) }

  private static let yaml = Reader(name: "yaml", growths: yamlGrowths) { input, _ in
    (try? YAMLMapping(input, path: ["cos", "base"], at: Samples.place))?.values.isEmpty == false
  }

  private static let policyGrowths = Growths.bytes([
    "many statements": { size in
      let one = #"{"effect":"allow","action":"name/cos:GetObject","resource":"qcs::cos:*:uid/1:b-1/*"}"#
      return #"{"version":"2.0","statement":[\#(repeated(one + ",", to: size))\#(one)]}"#
    },
    "many resources": { size in
      let names = repeated(#""qcs::cos:*:uid/1:b-1/*a","#, to: size)
      return #"{"version":"2.0","statement":[{"effect":"allow","action":"*","resource":[\#(names)"*"]}]}"#
    },
    "stars": { size in
      #"{"version":"2.0","statement":[{"effect":"allow","action":"*","resource":"qcs::cos:*:uid/1:b-1/\#(repeated("*a", to: size))"}]}"#
    },
    "a star and one letter": { size in
      #"{"version":"2.0","statement":[{"effect":"allow","action":"*","resource":"qcs::cos:*:uid/1:b-1/*\#(repeated("a", to: size))b"}]}"#
    },
    "many conditions": { size in
      let names = numbered(to: size, separator: ",") { "\"cos:x\($0)\":\"y\"" }
      return
        #"{"version":"2.0","statement":[{"effect":"allow","action":"*","resource":"*","condition":{"string_equal":{\#(names)}}}]}"#
    },
  ]) { bytes in
    guard let policy = try? PolicyDocument(String(decoding: bytes, as: UTF8.self), in: .cam) else { return }
    // The longest name of an object.
    let key = String(repeating: "a", count: 1023)
    let question = PolicyInput(
      action: "name/cos:GetObject", resource: ["qcs", "", "cos", "ap-guangzhou", "uid/1", "b-1/\(key)"], facts: [:])
    _ = policy.allows(question)
  }

  private static let sessionPolicies = Reader(name: "session-policies", growths: policyGrowths) { input, _ in
    var isRead = false
    for language in [PolicyLanguage.ram, .cam] {
      guard let policy = try? PolicyDocument(text(input), in: language) else { continue }
      isRead = true
      let question = PolicyInput(
        action: "oss:GetObject", resource: ["acs", "oss", "*", "1", "photos/alice/a"], facts: ["oss:Prefix": "alice/"])
      try require(policy.allows(question) == policy.allows(question), "the same request has two results")
    }
    return isRead
  }
}
