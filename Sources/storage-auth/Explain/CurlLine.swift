internal import ArgumentParser
internal import HTTPTypes

/// A request as a line for curl, such as browsers and SDKs print it.
struct CurlLine {
  let request: HTTPRequest

  /// Reads a line.
  ///
  /// What curl adds by itself is added: the method of a body, and the Content-Type of `--data`.
  ///
  /// - Parameter line: The line, with or without `curl` in front; quotes, backslashes and continued lines are those of a
  ///   shell.
  init(_ line: String) throws {
    var words = try Self.words(of: line)[...]
    if words.first == "curl" { words.removeFirst() }
    var method: String?
    var url: String?
    var headers: [String] = []
    var defaultMethod = "GET"
    var hasForm = false
    while var word = words.popFirst() {
      if word.hasPrefix("-"), !word.hasPrefix("--"), word.count > 2 {
        // `-XPUT` is `-X PUT`, and `-sS` is `-s -S`.
        let first = String(word.prefix(2))
        words.insert((Self.takesValue(first) ? "" : "-") + word.dropFirst(2), at: words.startIndex)
        word = first
      }
      switch word {
      case "-X", "--request": method = words.popFirst()
      case "-H", "--header": if let header = words.popFirst() { headers.append(header) }
      case "--url": url = words.popFirst()
      case "-I", "--head": defaultMethod = "HEAD"
      case "-T", "--upload-file":
        defaultMethod = "PUT"
        _ = words.popFirst()
      case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode":
        if defaultMethod == "GET" { defaultMethod = "POST" }
        hasForm = true
        _ = words.popFirst()
      case _ where Self.optionsWithValue.contains(word): _ = words.popFirst()
      case _ where word.hasPrefix("-"): break
      default: url = url ?? word
      }
    }
    var request = try HTTPRequest(method: method ?? defaultMethod, url: url, headers: headers)
    if hasForm, request.headerFields[.contentType] == nil {
      request.headerFields[.contentType] = "application/x-www-form-urlencoded"
    }
    self.request = request
  }

  private static func takesValue(_ option: String) -> Bool {
    ["-X", "-H", "-T", "-d"].contains(option) || optionsWithValue.contains(option)
  }

  private static let optionsWithValue: Set = [
    "-A", "--user-agent", "-b", "--cookie", "--cacert", "--connect-timeout", "--connect-to", "-e", "--referer", "-m",
    "--max-time", "-o", "--output", "-r", "--range", "--resolve", "--retry", "-u", "--user", "-w", "--write-out", "-x",
    "--proxy",
  ]

  /// The words of a line, as a shell cuts it.
  private static func words(of line: String) throws -> [String] {
    var words: [String] = []
    var word = ""
    var isOpen = false
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in line.unicodeScalars where scalar != "\r" {
      if isEscaped {
        isEscaped = false
        if scalar == "\n" { continue }
        if quote == "\"", !"\"\\$`".unicodeScalars.contains(scalar) { word.append("\\") }
        word.unicodeScalars.append(scalar)
        isOpen = true
      } else if scalar == "\\", quote != "'" {
        isEscaped = true
      } else if scalar == quote {
        quote = nil
      } else if quote == nil, scalar == "'" || scalar == "\"" {
        quote = scalar
        isOpen = true
      } else if quote == nil, scalar == " " || scalar == "\t" || scalar == "\n" {
        if isOpen { words.append(word) }
        word = ""
        isOpen = false
      } else {
        word.unicodeScalars.append(scalar)
        isOpen = true
      }
    }
    guard quote == nil else { throw ValidationError("A quote of the line for curl is not closed.") }
    if isOpen { words.append(word) }
    return words
  }
}
