// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A request in the form of a curl command line, as browsers and SDKs print it.
///
/// It includes what curl adds by default: the method of a request with a body, and the `Content-Type` for `--data`.
package struct CurlLine: Sendable, Equatable {
  package enum Problem: Error {
    /// A quotation mark is not closed.
    case openQuote
  }

  package private(set) var method = "GET"
  package private(set) var url: String?
  package private(set) var headers: [String] = []

  /// Parses a command line, with or without `curl`, whose quotes, backslashes and continuations are those of a shell.
  package init(_ line: String) throws(Problem) {
    var words = try Self.shellWords(of: line)[...]
    if let first = words.first, first.isIdentical(to: "curl") { words.removeFirst() }
    var requestedMethod: String?
    var hasData = false
    while let word = words.popFirst() {
      for (option, attached) in Self.options(in: word) {
        func nextValue() -> String? { attached ?? words.popFirst() }
        switch option {
        case "-X", "--request": requestedMethod = nextValue()
        case "-H", "--header": if let header = nextValue() { headers.append(header) }
        case "--url": url = nextValue()
        case "-I", "--head": method = "HEAD"
        case "-T", "--upload-file":
          method = "PUT"
          _ = nextValue()
        case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode":
          if method == "GET" { method = "POST" }
          hasData = true
          _ = nextValue()
        case _ where Self.optionsWithValue.contains(option): _ = nextValue()
        case nil: url = url ?? word
        default: break
        }
      }
    }
    method = requestedMethod ?? method
    let hasContentType = headers.contains { $0.bytes(before: ":").asciiLowercased.isIdentical(to: "content-type") }
    if hasData, !hasContentType { headers.append("Content-Type: application/x-www-form-urlencoded") }
  }

  /// Returns the options in a word, each with its value if the same word contains it.
  ///
  /// The option is `nil` for a word that is not an option. `-XPUT` is `-X PUT`, and `-sS` is `-s -S`.
  private static func options(in word: String) -> [(option: String?, value: String?)] {
    guard word.hasBytePrefix("-"), word.utf8.count > 1 else { return [(nil, nil)] }
    if word.hasBytePrefix("--") { return [(word, nil)] }
    var options: [(String?, String?)] = []
    let letters = word.unicodeScalars.dropFirst()
    for index in letters.indices {
      let option = "-\(letters[index])"
      let attachedValue = letters[letters.index(after: index)...]
      guard takesValue(option), !attachedValue.isEmpty else {
        options.append((option, nil))
        continue
      }
      return options + [(option, String(attachedValue))]
    }
    return options
  }

  private static func takesValue(_ option: String) -> Bool {
    ["-X", "-H", "-T", "-d"].contains(option) || optionsWithValue.contains(option)
  }

  /// The other options with a value, which must not be taken for the URL.
  private static let optionsWithValue: Set<String?> = [
    "-A", "--user-agent", "-b", "--cookie", "--cacert", "--connect-timeout", "--connect-to", "-e", "--referer", "-m",
    "--max-time", "-o", "--output", "-r", "--range", "--resolve", "--retry", "-u", "--user", "-w", "--write-out", "-x",
    "--proxy",
  ]

  private static func shellWords(of line: String) throws(Problem) -> [String] {
    var words: [String] = []
    // The word that is being read, or `nil` between two words; `""` begins one, too.
    var word: String.UnicodeScalarView?
    func append(_ scalar: Unicode.Scalar) {
      if word == nil { word = .init() }
      word?.append(scalar)
    }
    var quote: Unicode.Scalar?
    var scalars = line.unicodeScalars.filter { $0 != "\r" }.makeIterator()
    while let scalar = scalars.next() {
      switch (quote, scalar) {
      case ("'"?, "'"), ("\""?, "\""): quote = nil
      case (nil, "'"), (nil, "\""):
        quote = scalar
        word = word ?? .init()
      case (nil, "\\"), ("\""?, "\\"):
        // A backslash at the end of a line continues the line.
        guard let next = scalars.next(), next != "\n" else { continue }
        if quote != nil, !"\"\\$`".unicodeScalars.contains(next) { append("\\") }
        append(next)
      case (nil, " "), (nil, "\t"), (nil, "\n"):
        if let word { words.append(String(word)) }
        word = nil
      default: append(scalar)
      }
    }
    guard quote == nil else { throw .openQuote }
    if let word { words.append(String(word)) }
    return words
  }
}
