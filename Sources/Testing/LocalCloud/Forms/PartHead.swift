// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The parsed headers of a part of a multipart form.
struct PartHead: Sendable {
  /// The name of the form field that the part contains.
  let name: String

  /// The file name of the form part, or `nil` if the part specifies no file name.
  let fileName: String?

  /// The media type of the form part, or `nil` if the part specifies no media type.
  let contentType: String?

  /// Creates the headers of a form part by parsing header lines.
  ///
  /// Unknown headers are ignored (RFC 7578, section 4.8). Lines that are not headers, duplicate headers and ambiguous
  /// headers are rejected.
  init(_ lines: [String]) throws(RefusalAnswer) {
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        throw .malformedForm("A line in the head of a part is not a header.")
      }
      let name = line[..<colon].asciiLowercased
      guard !name.isEmpty, name.utf8.allSatisfy(HeaderParameters.isTokenByte) else {
        throw .malformedForm("The name of a header of a part is invalid.")
      }
      guard headers.updateValue(String(line[line.index(after: colon)...]), forKey: name) == nil else {
        throw .malformedForm("A header of a part occurs twice.")
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

  /// Whether this part contains the uploaded file: the part with the name `file`, in lowercase or uppercase.
  var isFile: Bool { name.asciiLowercased == "file" }
}

extension RefusalAnswer {
  /// Creates the error response for a request body that is not a valid form.
  static func malformedForm(_ reason: String) -> RefusalAnswer {
    RefusalAnswer(
      .badRequest, "MalformedPOSTRequest", "The body of your POST request is not well-formed multipart/form-data.",
      details: [Detail(name: "Reason", value: reason)])
  }
}
