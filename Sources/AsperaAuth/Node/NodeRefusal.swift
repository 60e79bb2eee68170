// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageJSON

/// An error of a Node API: the member `error` of a response, or of one element of a response.
package struct NodeRefusal: Error, Sendable, Hashable {
  /// The code of the error, which follows the status codes of HTTP.
  package let code: String?

  /// The name of the code, such as `Not Found`.
  package let reason: String?

  /// The node's message for the user; it is untrusted, so callers mask and truncate it before they show it.
  package let message: String?

  /// Parses the member `error` of an object; the result is `nil` if the member is missing or `null`.
  package init?(of value: JSONValue) {
    switch value["error"] {
    case nil, .null?: return nil
    case let error?:
      code = error["code"]?.code
      reason = error["reason"]?.string
      message = error["user_message"]?.string ?? error["internal_message"]?.string ?? error.string
    }
  }

  /// The code as an HTTP status; `nil` if it is not an integer.
  package var status: Int? { code.flatMap { Int($0) } }

  /// The code, the reason and the message in one string.
  package var text: String {
    let text = [code, reason, message].compactMap(\.self).joined(separator: " ")
    return text.isEmpty ? "an error without a code" : text
  }
}
