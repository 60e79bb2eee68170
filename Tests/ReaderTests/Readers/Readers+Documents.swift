// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import SigningJobs
import StorageAuth
import StorageAuthTesting
import StorageDiagnosis

@testable import COSAuth
@testable import CredentialSources
@testable import LocalCloud

/// Readers of documents: JSON, XML, INI, YAML, policies, request lines and times.
extension Reader {
  static let documents = [json, xml, ini, yaml, sessionPolicies, requestLines, timestamps, commandLines, curlLines]

  private static let json = Reader(name: "json") { input, _ in
    guard let value = try? JSONValue(parsing: input) else { return false }
    let text = value.serialized
    try require(try JSONValue(parsing: text) == value, "JSON differs after encoding and parsing")
    try require(try JSONValue(parsing: text).serialized == text, "JSON that is encoded twice differs")
    return true
  }

  private static let xml = Reader(name: "xml") { input, _ in
    guard let node = try? XMLNode.parse(input) else { return false }
    let bytes = node.serialized()
    guard let again = try? XMLNode.parse(bytes) else { return true }
    try require(again.serialized() == bytes, "XML that is encoded twice differs")
    return true
  }

  private static let place = SettingLocation(source: "fuzz", name: "file", remedy: "None.")

  private static let ini = Reader(name: "ini") { input, _ in
    guard let document = try? INIDocument(input, at: place) else { return false }
    for name in document.names {
      do {
        let table = try document.section(name, at: place)
        _ = try table?.key(
          .init(id: "access_key_id", secret: "access_key_secret", token: "token", expiration: "expiration"))
        _ = try table?.integer("number")
      } catch {
        try requireNoSecret(in: "\(error)", of: [])
      }
    }
    return !document.names.isEmpty
  }

  private static let yaml = Reader(name: "yaml") { input, _ in
    (try? YAMLMapping(input, path: ["cos", "base"], at: place))?.values.isEmpty == false
  }

  private static let sessionPolicies = Reader(name: "session-policies") { input, _ in
    var isRead = false
    for language in [PolicyLanguage.ram, .cam] {
      guard let policy = try? SessionPolicy(text(input), in: language) else { continue }
      isRead = true
      let question = PolicyInput(
        action: "oss:GetObject", resource: ["acs", "oss", "*", "1", "photos/alice/a"], facts: ["oss:Prefix": "alice/"])
      try require(policy.allows(question) == policy.allows(question), "the same request has two results")
    }
    return isRead
  }

  private static let requestLines = Reader(name: "request-lines") { input, _ in
    let line = SignedLine(answering: text(input), defaultMode: .header, now: Samples.now)
    let again = SignedLine(answering: text(input), defaultMode: .header, now: Samples.now)
    try require("\(line)" == "\(again)", "the same line has two results")
    return true
  }

  private static let timestamps = Reader(name: "timestamps") { input, _ in
    let text = text(input)
    let read = [
      Timestamp(iso8601: text), Timestamp(iso8601Basic: text), Timestamp(httpDate: text), Timestamp(expiration: text),
    ].compactMap { $0 }
    for instant in read {
      try require(instant.duration(to: instant) == .zero, "the duration from a time to itself is not zero")
      _ = (instant.iso8601, instant.iso8601Basic, instant.httpDate)
      try require(
        Samples.now.advanced(by: Samples.now.duration(to: instant)) == instant, "the duration to a time is wrong")
      if (0...253_402_300_799).contains(instant.unixSeconds) {
        try require(Timestamp(iso8601: instant.iso8601) == instant.wholeSeconds, "a time changes when formatted")
      }
    }
    return !read.isEmpty
  }

  private static let curlLines = Reader(name: "curl-lines") { input, _ in
    guard let line = try? CurlLine(text(input)) else { return false }
    try require(try CurlLine(text(input)) == line, "the same line is parsed in two ways")
    return line.url != nil
  }

  private static let commandLines = Reader(name: "command-lines") { input, _ in
    CredentialCommand(splitting: text(input)) != nil
  }
}
