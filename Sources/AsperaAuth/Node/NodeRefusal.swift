package import StorageJSON

/// What a Node API says where it refuses: the `error` of an answer, or of one element of an answer.
package struct NodeRefusal: Error, Sendable, Hashable {
  /// The code, which follows those of HTTP.
  package let code: String?

  /// The name of the code, such as `Not Found`.
  package let reason: String?

  /// What the node says to the user; it can hold anything, so it is masked and cut before it is shown.
  package let message: String?

  /// Reads what is said beside the fields of an object; nothing if there is no error, or one that is null.
  package init?(of value: JSONValue) {
    switch value["error"] {
    case nil, .null?: return nil
    case let error?:
      code = error["code"]?.code
      reason = error["reason"]?.string
      message = error["user_message"]?.string ?? error["internal_message"]?.string ?? error.string
    }
  }

  /// The status that the code is, where it is one.
  package var status: Int? { code.flatMap { Int($0) } }

  /// All that is said, in one text.
  package var text: String {
    let text = [code, reason, message].compactMap(\.self).joined(separator: " ")
    return text.isEmpty ? "an error without a code" : text
  }
}
