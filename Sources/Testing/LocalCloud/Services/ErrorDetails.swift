// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

// What the storage services share in their responses to rejected requests.

extension [ErrorResponse.Detail] {
  /// Creates the elements of an error document with those of the values that are not `nil`.
  init(present values: KeyValuePairs<String, String?>) {
    self = values.compactMap { name, value in value.map { ErrorResponse.Detail(name: name, value: $0) } }
  }

  /// Creates an element with a string, and one with its bytes as hexadecimal digits, separated by spaces.
  init(_ name: String, comparing text: String, uppercase: Bool) {
    let bytes = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: uppercase) }
    self = [
      ErrorResponse.Detail(name: name, bounded: text),
      ErrorResponse.Detail(name: "\(name)Bytes", bounded: bytes.joined(separator: " ")),
    ]
  }
}

extension XMLNode {
  /// Creates an element with elements that contain text.
  init(_ name: String, texts: KeyValuePairs<String, String>) {
    self.init(name, children: texts.map { XMLNode($0.key, $0.value) })
  }
}

extension ErrorResponse {
  func adding(reason: String) -> ErrorResponse {
    var response = self
    response.details.append(Detail(name: "Reason", value: reason))
    return response
  }

  /// Returns the error response with an error document, which a response to a HEAD request has not.
  func response(to call: CallIdentity, _ elements: [XMLNode], declaration: String? = XMLNode.declaration) -> Answer {
    var response = Answer(status)
    if call.method == .head { return response }
    let document = XMLNode(
      "Error",
      children: [XMLNode("Code", code), XMLNode("Message", message)] + details.map { XMLNode($0.name, $0.value) }
        + elements)
    response.headers[.contentType] = "application/xml"
    response.body = .bytes(document.serialized(declaration: declaration))
    return response
  }
}

extension ServiceBehavior {
  /// Splits the resource name of a role into its colon-separated parts, or returns `nil` if it is not one: if it has
  /// another beginning or another number of parts, or the last part has no name after the prefix.
  func roleParts(of arn: String, _ beginning: [String], _ namePrefix: String, count: Int) -> [String]? {
    let parts = arn.parts(between: ":").map(String.init)
    guard parts.count == count, parts.starts(with: beginning), !parts[count - 2].isEmpty,
      parts[count - 1].hasBytePrefix(namePrefix), !parts[count - 1].hasByteSuffix("/")
    else { return nil }
    return parts
  }
}
