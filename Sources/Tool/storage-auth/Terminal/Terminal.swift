// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// The standard streams, through which all output of the program passes.
///
/// Control characters are escaped, because object names, paths and messages from services are untrusted.
enum Terminal {
  struct Mode {
    var isJSON = false
    var isQuiet = false
    var isVerbose = false
  }

  private static let currentMode = Lock(Mode())

  /// The form and the amount of the output, which the options of the command determine before it runs.
  static var mode: Mode {
    get { currentMode.withLock { $0 } }
    set { currentMode.withLock { $0 = newValue } }
  }

  // MARK: Results

  /// Prints a line of a command's result to standard output, without a buffer even if that is a pipe.
  static func printLine(_ text: String) { write(DisplayText(text), to: .output) }

  /// Prints a line of a command's result, or with `--json` a value.
  static func printResult(_ text: @autoclosure () -> String, _ value: @autoclosure () -> JSONValue) {
    if mode.isJSON { printJSON(value()) } else { printLine(text()) }
  }

  static func printLines(_ text: String) { write(DisplayText(text, keepingLines: true), to: .output) }

  /// Prints a line that other programs read byte for byte: it is escaped only on a terminal.
  static func printExactLine(_ text: String) {
    guard !StandardStream.output.isTerminal else { return printLine(text) }
    write("\(text)\n", to: .output)
  }

  static func writeBytes(_ bytes: [UInt8]) { StandardStream.output.put(bytes) { printError($0, ["exitStatus": 1]) } }

  /// Prints a line of JSON to standard output, with unsafe characters escaped inside of its strings.
  static func printJSON(document: String) { write(document: document, to: .output) }
  static func printJSON(_ value: JSONValue) { printJSON(document: String(decoding: value.serialized, as: UTF8.self)) }

  // MARK: Messages

  /// Prints a line that is not part of a command's result to standard error, unless `--quiet` is set.
  static func printNote(_ text: String) { printUnlessQuiet("note", text, as: text) }

  /// Prints a summary of a command's result as a note, or with `--json` as a value of the result.
  static func printSummary(_ text: String, _ value: JSONValue) {
    if mode.isJSON { printJSON(value) } else { printNote(text) }
  }

  /// Prints a warning to standard error, unless `--quiet` is set.
  static func printWarning(_ text: String) { printUnlessQuiet("warning", text, as: "warning: \(text)") }

  /// Prints an error that does not end the command to standard error.
  static func printError(_ text: String, _ members: JSONObject = JSONObject()) {
    guard mode.isJSON else { return printErrorLines("Error: \(text)") }
    printJSONError(text, members)
  }

  /// Prints an error as JSON to standard error; the text is its message unless the members contain one.
  static func printJSONError(_ text: String, _ members: JSONObject = JSONObject()) {
    var members = members
    if members["message"] == nil { members["message"] = .string(text) }
    write(json: ["error": .object(members)])
  }

  /// Prints a line about a request, with `--verbose` only.
  static func printTrace(_ text: @autoclosure () -> String, _ members: @autoclosure () -> JSONValue) {
    guard mode.isVerbose else { return }
    if mode.isJSON { write(json: members()) } else { write(DisplayText(text()), to: .errors) }
  }

  /// Prints lines to standard error even with `--quiet`; with `--json`, the caller prints JSON in their place.
  static func printErrorLines(_ text: String) { write(DisplayText(text, keepingLines: true), to: .errors) }

  static func printSignedStrings(canonicalRequest: String?, stringToSign: String) {
    if let canonicalRequest { printErrorLines("--- canonical request\n\(canonicalRequest)") }
    printErrorLines("--- string to sign\n\(stringToSign)\n---")
  }

  // MARK: Progress

  /// Shows progress on the last line of standard error, in place of the previous progress; other output removes it.
  ///
  /// If the terminal is too narrow, the beginning of the name is left out.
  static func showProgress(of name: String, _ status: String) {
    // Text in the last column would move the cursor of some terminals to the next line.
    let limit = (StandardStream.errors.columnCount ?? 80) - 1
    let name = shortened("\(DisplayText(name))", to: limit - status.count - 1)
    let text = String("\(name) \(status)".prefix(limit))
    progressWidth.withLock { width in
      StandardStream.errors.put(erasure(of: width) + text)
      width = columns(of: text)
    }
  }

  /// Ends or removes the line with progress, if there is one.
  static func endProgress(removing isRemoved: Bool = false) {
    progressWidth.withLock { width in
      if width > 0 { StandardStream.errors.put(isRemoved ? erasure(of: width) : "\n") }
      width = 0
    }
  }

  private static let progressWidth = Lock(0)

  /// Returns the text that empties a line of the given width, and moves the cursor to its beginning.
  private static func erasure(of width: Int) -> String {
    isPlain ? "\r\(String(repeating: " ", count: width))\r" : "\r\u{1B}[K"
  }

  /// Returns the text, or if it is too wide its end after an ellipsis.
  private static func shortened(_ text: String, to limit: Int) -> String {
    guard columns(of: text) > limit else { return text }
    let ellipsis = isPlain ? "..." : "…"
    var remainingColumns = limit - ellipsis.count
    let lastCharacters = text.reversed().prefix { character in
      remainingColumns -= columns(of: String(character))
      return remainingColumns >= 0
    }
    return ellipsis + String(lastCharacters.reversed())
  }

  /// Returns the number of columns: two for each character of East Asian scripts and each emoji.
  private static func columns(of text: String) -> Int {
    text.reduce(0) { $0 + ($1.unicodeScalars.contains { $0.value >= 0x2E80 } ? 2 : 1) }
  }

  /// Whether the terminal or the user wants no escape sequences, or the locale lacks block characters.
  static let isPlain = {
    let variables = ProcessInfo.processInfo.environment
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
    return value("NO_COLOR") != nil || value("TERM") ?? "dumb" == "dumb" || !locale.contains("utf")
  }()

  static var showsProgress: Bool { !mode.isJSON && !mode.isQuiet && StandardStream.errors.isTerminal }

  /// Whether ``ask(_:)`` reaches a user: standard input and standard error are terminals, and notes are printed.
  static var canAsk: Bool { isatty(0) == 1 && showsProgress }

  /// Asks a question on standard error, and returns the user's line, or `nil` at the end of the input.
  static func ask(_ question: String) -> String? {
    write("\(DisplayText(question))", to: .errors)
    return readLine()
  }

  /// Prints a line to standard error, or an object whose only member has the kind as its name.
  private static func printUnlessQuiet(_ kind: String, _ text: String, as line: String) {
    guard !mode.isQuiet else { return }
    if mode.isJSON { write(json: [kind: .string(text)]) } else { write(DisplayText(line), to: .errors) }
  }

  private static func write(json value: JSONValue) {
    write(document: String(decoding: value.serialized, as: UTF8.self), to: .errors)
  }

  private static func write(document: String, to stream: StandardStream) {
    write("\(DisplayText.escapingInsideJSON(document))\n", to: stream)
  }

  private static func write(_ text: DisplayText, to stream: StandardStream) { write("\(text)\n", to: stream) }

  /// Writes safe text; if a result cannot be written, the program ends with status 1.
  private static func write(_ text: String, to stream: StandardStream) {
    endProgress(removing: true)
    stream.put(text) { printError($0, ["exitStatus": 1]) }
  }
}

extension String {
  /// Returns the text with spaces at its end up to a width, as a cell of a table.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension JSONValue {
  static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// A JSON string with control characters escaped, or `null` if there is no text.
  static func safeText(_ text: String?) -> JSONValue { .text(text?.onOneLine) }

  static func integer(_ number: (some BinaryInteger)?) -> JSONValue { number.map { .number(JSONNumber($0)) } ?? .null }
}
