// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// An error of a Node API: the member `error` of a response or of an array element in a response.
package struct NodeRefusal: Error, Sendable, Hashable {
  /// The error code, which corresponds to an HTTP status code, or `nil` if the error has no code.
  package let code: String?

  /// The short name of the error, such as `Not Found`, or `nil` if the error has no name.
  package let reason: String?

  /// The node's error message, or `nil` if the error has no message.
  ///
  /// The message is untrusted. Callers mask and truncate it before they show it to the user.
  package let message: String?

  /// Parses the member `error` of a JSON object, or returns `nil` if the member is missing or `null`.
  package init?(of value: JSONValue) {
    switch value["error"] {
    case nil, .null?: return nil
    case let error?:
      code = error["code"]?.code
      reason = error["reason"]?.string
      message = error["user_message"]?.string ?? error["internal_message"]?.string ?? error.string
    }
  }

  /// The error code as an HTTP status code, or `nil` if the error code is not an integer.
  package var status: Int? { code.flatMap { Int(digits: $0) } }

  /// A text that contains the error code, the reason and the message.
  package var text: String {
    let text = [code, reason, message].compactMap(\.self).joined(separator: " ")
    return text.isEmpty ? "an error without a code" : text
  }
}
