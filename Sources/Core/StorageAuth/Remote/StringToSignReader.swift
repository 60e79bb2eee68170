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

extension HTTPFields {
  package mutating func append(signed name: String, _ value: String) throws(SigningRefusal) {
    guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
      throw .malformed("A line in the position of a header is not a valid header.")
    }
    append(HTTPField(name: name, value: value))
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

extension SigningRequest {
  /// Returns the method in the string to sign, which must equal that of the signing request.
  package func checked(_ method: HTTPRequest.Method) throws(SigningRefusal) -> HTTPRequest.Method {
    guard method.rawValue == self.method else { throw .malformed("The method differs from the one in the string.") }
    return method
  }
}
