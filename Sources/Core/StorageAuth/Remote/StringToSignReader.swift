// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A reader for the lines of a string to sign or a canonical request.
///
/// The delimiter is the line feed, byte for byte: a carriage return is part of a line and does not end the line.
package struct StringToSignReader {
  /// The lines of the string that have not been read yet.
  package private(set) var rest: ArraySlice<String>

  /// Creates a reader by splitting a string to sign or a canonical request into lines.
  package init(_ text: String) {
    rest =
      text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
        String(Substring($0))
      }[...]
  }

  /// Removes and returns the first line that has not been read.
  package mutating func first() throws(SigningRefusal) -> String {
    guard let line = rest.popFirst() else { throw .malformed("The string has too few lines.") }
    return line
  }

  /// Removes and returns the last line that has not been read.
  package mutating func last() throws(SigningRefusal) -> String {
    guard let line = rest.popLast() else { throw .malformed("The string has too few lines.") }
    return line
  }

  /// The lines that have not been read, joined with line feeds.
  package var remainder: String { rest.joined(separator: "\n") }

  /// Removes and returns the leading lines of the rest that satisfy a condition.
  package mutating func take(while condition: (String) -> Bool) -> [String] {
    let taken = rest.prefix(while: condition)
    rest = rest.dropFirst(taken.count)
    return Array(taken)
  }
}

extension HTTPFields {
  /// Appends a header field from a string to sign, or throws an error if the field is not valid in a request.
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
  /// Removes a query parameter that may appear at most once, and throws an error if it appears twice.
  ///
  /// - Returns: The parameter's value, an empty string if the parameter has no value, or `nil` if the parameter is
  ///   missing.
  package mutating func take(_ name: ByteExactString) throws(SigningRefusal) -> String? {
    let found = parameters.filter { $0.name == name }
    guard found.count < 2 else { throw .malformed("A parameter of the signature appears twice.") }
    guard let parameter = found.first else { return nil }
    self = RequestTarget(
      bucket: bucket?.string, key: key?.string, parameters: parameters.filter { $0.name != name })
    return parameter.value?.string ?? ""
  }
}

extension SigningRequest {
  /// Returns the HTTP method in the string to sign if it equals the method of the signing request, otherwise throws an
  /// error.
  package func checked(_ method: HTTPRequest.Method) throws(SigningRefusal) -> HTTPRequest.Method {
    guard method.rawValue == self.method else { throw .malformed("The method differs from the one in the string.") }
    return method
  }
}
