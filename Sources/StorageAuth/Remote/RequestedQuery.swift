/// The signed parameters of a request, each name once.
package struct RequestedQuery {
  private let values: [WireText: String]
  /// Whether the names came in lower case.
  private let isLowered: Bool

  init(_ intent: SigningIntent) throws(SigningRefusal) {
    var values: [WireText: String] = [:]
    for parameter in intent.target.parameters {
      guard values.updateValue(parameter.value?.string ?? "", forKey: parameter.name) == nil else {
        throw .unknownOperation("A parameter is there twice.")
      }
    }
    self.values = values
    isLowered = intent.vocabulary.ignoresParameterCase
  }

  var isEmpty: Bool { values.isEmpty }

  subscript(name: WireText) -> String? { values[isLowered ? name.asciiLowercased : name] }

  func contains(_ name: WireText) -> Bool { self[name] != nil }

  /// Refuses a parameter that is not one of these.
  func allow(_ names: WireText...) throws(SigningRefusal) {
    let known = Set(isLowered ? names.map(\.asciiLowercased) : names)
    guard values.keys.allSatisfy(known.contains) else {
      throw .unknownOperation("A parameter makes another operation of the request, or is not known.")
    }
  }

  /// Refuses a parameter that has a value and should have none.
  func checkFlag(_ name: WireText) throws(SigningRefusal) {
    guard self[name] == "" else { throw .unknownOperation("The parameter \(name) is missing, or has a value.") }
  }

  /// Refuses an upload without an id: a service may take the parameter for none.
  func checkUpload() throws(SigningRefusal) {
    guard let id = self["uploadId"], !id.isEmpty, id.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f }) else {
      throw .unknownOperation("The id of the upload is missing, or is none.")
    }
  }

  /// Refuses a part whose number is none.
  func checkPart() throws(SigningRefusal) {
    guard let number = self["partNumber"], Self.isPartNumber(number) else {
      throw .unknownOperation("The number of the part is missing, or is none.")
    }
  }

  /// Whether a text is the number of a part, from 1 to 10,000.
  package static func isPartNumber(_ text: String) -> Bool {
    (1...10_000).contains(Int(text) ?? 0) && Int(text)?.description == text
  }
}
