// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A reader for the lines of a string to sign or a canonical request.
///
/// The delimiter is the line feed, byte for byte: a carriage return is part of a line and does not end the line.
package struct StringToSignReader {
  /// The lines that have not been read.
  package private(set) var remaining: ArraySlice<String>
  /// The text of the lines that have not been read.
  package var remainder: String { remaining.joined(separator: "\n") }

  package init(_ text: String) { remaining = text.parts(between: "\n").map(String.init)[...] }

  package mutating func readFirst() throws(SigningRefusal) -> String {
    guard let line = remaining.popFirst() else { throw .malformed("The string has too few lines.") }
    return line
  }

  package mutating func readLast() throws(SigningRefusal) -> String {
    guard let line = remaining.popLast() else { throw .malformed("The string has too few lines.") }
    return line
  }

  /// Reads the lines up to the first that does not satisfy a condition.
  package mutating func read(while condition: (String) -> Bool) -> [String] {
    let lines = remaining.prefix(while: condition)
    remaining = remaining.dropFirst(lines.count)
    return Array(lines)
  }

  /// Reads the lines of headers, with the host among them, and the empty line that follows them.
  package mutating func readHeaders() throws(SigningRefusal) -> (fields: HTTPFields, host: String?) {
    var fields = HTTPFields()
    var host: String?
    for line in read(while: { !$0.isEmpty }) {
      guard let text = line.removingBytePrefix("host:") else {
        try fields.append(line: line)
        continue
      }
      guard host == nil else { throw .malformed("There are two hosts.") }
      host = String(text)
    }
    _ = try readFirst()
    return (fields, host)
  }
}

extension HTTPFields {
  /// Appends a signed header, which must be valid in HTTP.
  package mutating func append(signed name: String, _ value: String) throws(SigningRefusal) {
    guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
      throw .malformed("A line in the position of a header is not a valid header.")
    }
    append(HTTPField(name: name, value: value))
  }

  /// Appends the signed header of a line `name:value`.
  package mutating func append(line: String) throws(SigningRefusal) {
    let nameAndValue = line.parts(between: ":", maxSplits: 1)
    guard nameAndValue.count == 2 else { throw .malformed("A line that should be a header has no colon.") }
    try append(signed: String(nameAndValue[0]), String(nameAndValue[1]))
  }
}

extension HTTPRequest.Method {
  /// Parses an HTTP method that can be signed remotely.
  package init(signed text: String) throws(SigningRefusal) {
    switch text {
    case "GET": self = .get
    case "HEAD": self = .head
    case "PUT": self = .put
    case "POST": self = .post
    case "DELETE": self = .delete
    default: throw .malformed("The method is not GET, HEAD, PUT, POST or DELETE, as the scheme writes it.")
    }
  }
}

extension RequestTarget {
  /// Removes a parameter, and returns its value, which is empty without `=`, or `nil` if the parameter is missing.
  package mutating func removeParameter(named name: ByteExactString) throws(SigningRefusal) -> String? {
    let matches = parameters.filter { $0.name == name }
    guard matches.count < 2 else { throw .malformed("A parameter of the signature appears twice.") }
    guard let parameter = matches.first else { return nil }
    self = replacingParameters(with: parameters.filter { $0.name != name })
    return parameter.value?.string ?? ""
  }
}
