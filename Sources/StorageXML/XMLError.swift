/// Why a document could not be read: what is wrong and in which line.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in a sentence.
  package let message: String

  /// The line, from 1; nothing where the problem is not at one place.
  package let line: Int?

  init(_ message: String, line: Int? = nil) {
    self.message = message
    self.line = line
  }

  /// The message and the line.
  package var description: String {
    line.map { "\(message) Line \($0)." } ?? message
  }
}
