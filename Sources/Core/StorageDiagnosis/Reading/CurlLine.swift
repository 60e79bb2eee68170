// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A request in the form of a curl command line, as browsers and SDKs print it.
///
/// It includes what curl adds by default: the method of a request with a body, and the `Content-Type` of data.
/// The `Content-Type` of a form, whose boundary is random, is left out.
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
    var data: [String] = []
    var dataType = "application/x-www-form-urlencoded"
    var sendsDataInURL = false
    while let word = words.popFirst() {
      for (option, attachedValue) in Self.options(in: word) {
        func nextValue() -> String? { attachedValue ?? words.popFirst() }
        switch option {
        case "-X", "--request": requestedMethod = nextValue()
        case "-H", "--header": if let header = nextValue() { headers.append(header) }
        case "--url": url = nextValue()
        case "-I", "--head": method = "HEAD"
        case "-T", "--upload-file":
          method = "PUT"
          _ = nextValue()
        case "-G", "--get": sendsDataInURL = true
        case "--data-urlencode": if let value = nextValue() { data.append(Self.encodedData(value)) }
        case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii":
          if let value = nextValue() { data.append(value) }
        case "--json":
          dataType = "application/json"
          if let value = nextValue() { data.append(value) }
        case "-F", "--form", "--form-string":
          method = "POST"
          _ = nextValue()
        case _ where Self.optionsWithValue.contains(option): _ = nextValue()
        case nil: url = url ?? word
        default: break
        }
      }
    }
    // Data change the default method, but neither that of an upload or a form nor one that `-X` names.
    if sendsDataInURL {
      if let url, !data.isEmpty { self.url = url + (url.hasByte("?") ? "&" : "?") + data.joined(separator: "&") }
    } else if !data.isEmpty {
      if method == "GET" { method = "POST" }
      let hasContentType = headers.contains { $0.bytes(before: ":").asciiLowercased.isIdentical(to: "content-type") }
      if !hasContentType { headers.append("Content-Type: \(dataType)") }
    }
    method = requestedMethod ?? method
  }

  /// Returns data of `--data-urlencode` as curl sends them in a URL: the value, after a name and `=` or alone, is
  /// encoded, with a `+` for a space.
  private static func encodedData(_ data: String) -> String {
    let name = data.hasByte("=") ? data.bytes(before: "=") : ""
    let value = data.hasByte("=") ? String(data.bytes(after: "=")) : data
    return (name.isEmpty ? "" : "\(name)=") + value.percentEncoded(.component).replacing("%20", with: "+")
  }

  /// Returns the options in a word, each with its value if the same word contains it.
  ///
  /// The option is `nil` for a word that is not an option. `-XPUT` is `-X PUT`, and `-sS` is `-s -S`.
  private static func options(in word: String) -> [(option: String?, attachedValue: String?)] {
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
    ["-X", "-H", "-T", "-d", "-F"].contains(option) || optionsWithValue.contains(option)
  }

  /// The other options with a value, which must not be taken for the URL.
  private static let optionsWithValue: Set<String?> = [
    "-A", "--user-agent", "--aws-sigv4", "-b", "--cookie", "-c", "--cookie-jar", "--cacert", "--capath", "-E", "--cert",
    "--cert-type", "--ciphers", "--connect-timeout", "--connect-to", "-C", "--continue-at", "--crlfile", "--curves",
    "-D", "--dump-header", "--dns-servers", "--doh-url", "-e", "--referer", "--expect100-timeout", "--interface", "-K",
    "--config", "--keepalive-time", "--key", "--key-type", "--limit-rate", "--local-port", "-m", "--max-time",
    "--max-filesize", "--max-redirs", "--netrc-file", "--noproxy", "-o", "--output", "--oauth2-bearer", "--output-dir",
    "--pass", "--pinnedpubkey", "--proto", "--proxy-header", "-r", "--range", "--request-target", "--resolve",
    "--retry", "--retry-delay", "--retry-max-time", "--socks5", "--socks5-hostname", "--stderr", "--tls-max",
    "--tls13-ciphers", "--trace", "--trace-ascii", "-u", "--user", "--unix-socket", "--url-query", "-w", "--write-out",
    "-x", "--proxy", "-U", "--proxy-user", "-y", "--speed-time", "-Y", "--speed-limit", "-z", "--time-cond",
  ]

  /// Returns the words of a command line, separated and unquoted as a shell does it, without expanding variables.
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
      case (nil, "$") where scalars.startsWithQuote:
        word = word ?? .init()
        word?.append(contentsOf: try escapedText(&scalars))
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

  /// Reads a text such as `'a\u0021'` after a dollar sign, as browsers print it: with escapes as in C.
  private static func escapedText(
    _ scalars: inout String.UnicodeScalarView.Iterator
  ) throws(Problem) -> String.UnicodeScalarView {
    var text = String.UnicodeScalarView()
    _ = scalars.next()  // The opening quotation mark.
    while let scalar = scalars.next() {
      guard scalar != "'" else { return text }
      guard scalar == "\\", let escape = scalars.next() else {
        text.append(scalar)
        continue
      }
      switch escape {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      case "u": text.append(scalars.readHexadecimal(4))
      case "x": text.append(scalars.readHexadecimal(2))
      default: text.append(escape)
      }
    }
    throw .openQuote
  }
}

extension String.UnicodeScalarView.Iterator {
  fileprivate var startsWithQuote: Bool {
    var copy = self
    return copy.next() == "'"
  }

  /// Reads up to `count` hexadecimal digits as a scalar; half of a surrogate pair is read as a replacement character.
  fileprivate mutating func readHexadecimal(_ count: Int) -> Unicode.Scalar {
    var value: UInt32 = 0
    for _ in 0..<count {
      var copy = self
      guard let scalar = copy.next(), let digit = Character(scalar).hexDigitValue else { break }
      value = value << 4 | UInt32(truncatingIfNeeded: digit)
      self = copy
    }
    return Unicode.Scalar(value) ?? "\u{fffd}"
  }
}
