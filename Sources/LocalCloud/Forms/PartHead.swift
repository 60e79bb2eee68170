internal import HTTPTypes
internal import StorageAuth

/// What stands before the content of a part of a form.
struct PartHead: Sendable {
  /// The name of the field.
  let name: String

  /// The name of the file; nothing for a part that is none.
  let fileName: String?

  /// The media type, where the part says one.
  let contentType: String?

  /// Reads the lines of a head.
  ///
  /// Headers that mean nothing here are passed over (RFC 7578, 4.8); a line that is no header, one of the two that count
  /// and is there twice, or one that can be read in two ways is refused.
  init(_ lines: [String]) throws(RefusalAnswer) {
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        throw .malformedForm("A line of a part is no header.")
      }
      let name = line[..<colon].asciiLowercased
      guard !name.isEmpty, name.utf8.allSatisfy(HeaderParameters.isTokenByte) else {
        throw .malformedForm("The name of a part's header is not one.")
      }
      guard headers.updateValue(String(line[line.index(after: colon)...]), forKey: name) == nil else {
        throw .malformedForm("A header of a part is there twice.")
      }
    }
    guard let text = headers["content-disposition"], let disposition = HeaderParameters(text),
      disposition.value == "form-data", let name = disposition["name"], !name.isEmpty, disposition["filename*"] == nil
    else { throw .malformedForm("A part has no Content-Disposition: form-data with a name.") }
    self.name = name
    fileName = disposition["filename"]
    contentType = headers["content-type"].map { text in
      String(
        decoding: text.utf8.drop { $0 == UInt8(ascii: " ") }.reversed().drop { $0 == UInt8(ascii: " ") }.reversed(),
        as: UTF8.self)
    }
  }

  /// Whether this is the file; no other field has that name.
  var isFile: Bool { name.asciiLowercased == "file" }
}

extension RefusalAnswer {
  /// The error for a body that is not a form.
  static func malformedForm(_ reason: String) -> RefusalAnswer {
    RefusalAnswer(
      .badRequest, "MalformedPOSTRequest", "The body of your POST request is not well-formed multipart/form-data.",
      details: [Detail(name: "Reason", value: reason)])
  }
}
