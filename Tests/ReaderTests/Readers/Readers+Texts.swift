// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import SigningJobs
import StorageAuth
import StorageAuthTesting
import StorageDiagnosis

@testable import CredentialSources

/// Readers of lines and short texts: requests to sign, commands and times, and texts that are shown without secrets.
extension Reader {
  static let texts = [requestLines, curlLines, commandLines, timestamps, maskedTexts, serviceTexts]

  private static let requestLineGrowths = Growths.bytes([
    "many headers": {
      #"{"method":"GET","url":"https://h/","headers":{\#(numbered(to: $0, separator: ",") { "\"a\($0)\":\"b\"" })}}"#
    },
    "a long URL": { #"{"method":"GET","url":"https://h/\#(repeated("a/", to: $0))"}"# },
    "many parameters": {
      #"{"method":"GET","url":"https://h/?\#(numbered(to: $0, separator: "&") { "a\($0)=b" })"}"#
    },
  ]) { bytes in _ = try? SigningJob(json: String(decoding: bytes, as: UTF8.self)) }

  private static let requestLines = Reader(name: "request-lines", growths: requestLineGrowths) { input, _ in
    let line = SignedLine(answering: text(input), defaultMode: .header, now: Samples.now)
    let again = SignedLine(answering: text(input), defaultMode: .header, now: Samples.now)
    try require("\(line)" == "\(again)", "the same line has two results")
    return true
  }

  private static let curlLineGrowths = Growths.bytes([
    "many headers": { "curl " + repeated("-H 'a: b' ", to: $0) + "https://h/" },
    "options in one word": { "curl -" + repeated("s", to: $0) }, "escapes": { repeated("\\\"", to: $0) },
    "quotes": { repeated("''\"\"", to: $0) }, "blanks": { repeated(" \\\n\t", to: $0) },
    "accents": { "curl a" + repeated("\u{301}", to: $0) }, "a long URL": { "https://h/" + repeated("a/", to: $0) },
  ]) { bytes in _ = try? CurlLine(String(decoding: bytes, as: UTF8.self)) }

  private static let curlLines = Reader(name: "curl-lines", growths: curlLineGrowths) { input, _ in
    guard let line = try? CurlLine(text(input)) else { return false }
    try require(try CurlLine(text(input)) == line, "the same line is parsed in two ways")
    return line.url != nil
  }

  private static let commandLineGrowths = Growths.inputs([
    "many words": { repeated("a ", to: $0) }, "one long word": { repeated("a", to: $0) },
    "escapes": { repeated("\\\"", to: $0) }, "quotes": { repeated("'a'\"b\"", to: $0) },
  ])

  private static let commandLines = Reader(name: "command-lines", growths: commandLineGrowths) { input, _ in
    CredentialCommand(splitting: text(input)) != nil
  }

  private static let timeGrowths = Growths.bytes([
    "digits": { repeated("1", to: $0) }, "a fraction": { "2026-11-20T08:00:00." + repeated("9", to: $0) + "Z" },
    "blanks": { repeated(" ", to: $0) }, "dates": { repeated("Fri, 20 Nov 2026 08:00:00 GMT", to: $0) },
  ]) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    _ = (Timestamp(iso8601: text), Timestamp(iso8601Basic: text), Timestamp(httpDate: text))
    _ = Timestamp(expiration: text)
  }

  private static let timestamps = Reader(name: "timestamps", growths: timeGrowths) { input, _ in
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

  private static let maskGrowths = Growths.bytes([
    "the beginning of a secret": { repeated("a", to: $0) }, "secrets": { repeated("aaaaaaab", to: $0) },
    "masks": { repeated(Secret.mask, to: $0) }, "names": { repeated("security-token=", to: $0) },
    "lines": { repeated("x-cos-security-token:e\n", to: $0) }, "escapes": { repeated("%61%252F", to: $0) },
    "a long name": { repeated("n", to: $0) + "-security-token:e" },
  ]) { bytes in
    let secrets = [Secret("aaaaaaab"), Secret("abaa"), Secret("redacted"), Secret("a/b+c=="), Secret(bytes: bytes)]
    _ = SecretMask(secrets, masksNamedValues: true).applied(to: String(decoding: bytes, as: UTF8.self))
  }

  /// Checks that a masked text contains no secret, whatever is around it.
  private static let maskedTexts = Reader(name: "masked-texts", growths: maskGrowths) { input, _ in
    let text = text(input)
    let masked = SecretMask(Samples.secrets.map { Secret($0) }, masksNamedValues: true).applied(to: text)
    let isShown = Samples.secrets.contains { Array(masked.utf8).firstRange(of: Array($0.utf8)) != nil }
    try require(!isShown, "a secret is shown after masking")
    return masked != text
  }

  private static let serviceTextGrowths = Growths.bytes([
    "one letter": { repeated("a", to: $0) }, "blanks": { repeated(" ", to: $0) },
    "controls": { repeated("\u{1B}[2K", to: $0) }, "accents": { "e" + repeated("\u{301}", to: $0) },
    "flags": { repeated("\u{1F1E9}\u{1F1EA}", to: $0) },
  ]) { bytes in
    _ = MessageFilter(masking: [Secret("aaaaaaab"), Secret("abcd")]).applied(to: String(decoding: bytes, as: UTF8.self))
  }

  /// Checks that a text of a service is shown as one short line without secrets.
  private static let serviceTexts = Reader(name: "service-texts", growths: serviceTextGrowths) { input, _ in
    let text = text(input)
    let shown = MessageFilter(masking: Samples.secrets.map { Secret($0) }).applied(to: text)
    try require(shown.count <= 301, "a long text is shown")
    try require(!hasControl(shown), "a control character is shown")
    try require(!Samples.secrets.contains { shown.contains($0) }, "a secret is shown")
    return !shown.isEmpty
  }

  private static func hasControl(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
