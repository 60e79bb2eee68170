// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A reader for the lines of a string to sign or a canonical request.
///
/// The delimiter is the line feed, byte for byte: a carriage return is part of a line and does not end the line.
package struct StringToSignReader {
  package private(set) var rest: ArraySlice<String>

  package init(_ text: String) { rest = text.parts(between: "\n").map(String.init)[...] }

  package mutating func first() throws(SigningRefusal) -> String {
    guard let line = rest.popFirst() else { throw .malformed("The string has too few lines.") }
    return line
  }

  package mutating func last() throws(SigningRefusal) -> String {
    guard let line = rest.popLast() else { throw .malformed("The string has too few lines.") }
    return line
  }

  package var remainder: String { rest.joined(separator: "\n") }

  package mutating func take(while condition: (String) -> Bool) -> [String] {
    let taken = rest.prefix(while: condition)
    rest = rest.dropFirst(taken.count)
    return Array(taken)
  }
}

extension StringToSignReader {
  /// Reads the lines of headers up to an empty line, which follows them, and the host among them.
  package mutating func readHeaders() throws(SigningRefusal) -> (fields: HTTPFields, host: String?) {
    var fields = HTTPFields()
    var host: String?
    for line in take(while: { !$0.isEmpty }) {
      guard let text = line.removingBytePrefix("host:") else {
        try fields.append(line: line)
        continue
      }
      guard host == nil else { throw .malformed("There are two hosts.") }
      host = String(text)
    }
    _ = try first()
    return (fields, host)
  }
}

extension HTTPFields {
  package mutating func append(signed name: String, _ value: String) throws(SigningRefusal) {
    guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
      throw .malformed("A line in the position of a header is not a valid header.")
    }
    append(HTTPField(name: name, value: value))
  }
}

extension HTTPFields {
  package mutating func append(line: String) throws(SigningRefusal) {
    let pair = line.parts(between: ":", atMost: 1)
    guard pair.count == 2 else { throw .malformed("A line that should be a header has no colon.") }
    try append(signed: String(pair[0]), String(pair[1]))
  }
}

extension HTTPRequest.Method {
  /// Parses an HTTP method that can be signed remotely, or throws an error for any other method.
  package init(signed text: String) throws(SigningRefusal) {
    switch text {
    case "GET": self = .get
    case "HEAD": self = .head
    case "PUT": self = .put
    case "POST": self = .post
    case "DELETE": self = .delete
    default: throw .malformed("The method is not GET, HEAD, PUT, POST or DELETE in upper case.")
    }
  }
}

extension RequestTarget {
  /// Removes a parameter that may appear at most once; its value is empty if it has none, `nil` if it is missing.
  package mutating func take(_ name: ByteExactString) throws(SigningRefusal) -> String? {
    let found = parameters.filter { $0.name == name }
    guard found.count < 2 else { throw .malformed("A parameter of the signature appears twice.") }
    guard let parameter = found.first else { return nil }
    self = RequestTarget(bucket: bucket?.string, key: key?.string, parameters: parameters.filter { $0.name != name })
    return parameter.value?.string ?? ""
  }
}
