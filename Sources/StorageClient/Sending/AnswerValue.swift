/// A text of an answer that becomes part of a later request: an upload id, an entity tag, a version, the name of an
/// object, a continuation token.
///
/// It is bounded where it is read. A request line of more than 64 KB ends the process inside AsyncHTTPClient 1.37, and
/// with it everything else that the process does.
struct AnswerValue: Sendable, Hashable {
  /// The most bytes of a text: four times what the longest key of an object has.
  static let limit = 4_096

  let text: String

  /// Takes a text over.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - name: What it is, for the error.
  /// - Throws: ``StorageError/Code/malformedAnswer`` if it is longer than ``limit``.
  init(_ text: String, named name: String) throws(StorageError) {
    guard Self.isSendable(text) else {
      throw StorageError.malformedAnswer(
        "its \(name) has \(text.utf8.count) bytes, and at most \(Self.limit) are sent on")
    }
    self.text = text
  }

  /// Returns whether a text is short enough; `nil` is.
  static func isSendable(_ text: String?) -> Bool { (text?.utf8.count ?? 0) <= limit }
}
