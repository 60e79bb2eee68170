package import HTTPTypes

/// A text cut at its line feeds, byte for byte: a carriage return is part of a line and no end of one.
package struct StringToSignReader {
  /// The lines that have not been taken yet.
  package private(set) var rest: ArraySlice<String>

  /// Cuts a text.
  package init(_ text: String) {
    rest =
      text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
        String(Substring($0))
      }[...]
  }

  /// Takes the first line.
  package mutating func first() throws(SigningRefusal) -> String {
    guard let line = rest.popFirst() else { throw .malformed("The text has too few lines.") }
    return line
  }

  /// Takes the last line.
  package mutating func last() throws(SigningRefusal) -> String {
    guard let line = rest.popLast() else { throw .malformed("The text has too few lines.") }
    return line
  }

  /// What is left, as one text.
  package var remainder: String { rest.joined(separator: "\n") }

  /// Takes the lines that a condition holds for.
  package mutating func take(while condition: (String) -> Bool) -> [String] {
    let taken = rest.prefix(while: condition)
    rest = rest.dropFirst(taken.count)
    return Array(taken)
  }
}

extension HTTPFields {
  /// Adds a field that stands in a signed text, if it can be one of a request.
  package mutating func append(signed name: String, _ value: String) throws(SigningRefusal) {
    guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
      throw .malformed("A line that should be a header cannot be one.")
    }
    append(HTTPField(name: name, value: value))
  }
}

extension HTTPRequest.Method {
  /// Reads a method that can be signed remotely.
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
  /// Takes a parameter out that may be there once.
  ///
  /// - Returns: Its value; empty where it has none, nothing if it is not there.
  package mutating func take(_ name: WireText) throws(SigningRefusal) -> String? {
    let found = parameters.filter { $0.name == name }
    guard found.count < 2 else { throw .malformed("A parameter of the signature is there twice.") }
    guard let parameter = found.first else { return nil }
    self = RequestTarget(
      bucket: bucket?.string, key: key?.string, parameters: parameters.filter { $0.name != name })
    return parameter.value?.string ?? ""
  }
}

extension SigningRequest {
  /// The method, which has to be that of the text.
  package func checked(_ method: HTTPRequest.Method) throws(SigningRefusal) -> HTTPRequest.Method {
    guard method.rawValue == self.method else { throw .malformed("The method is not that of the text.") }
    return method
  }
}
