// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The response that the client of a form upload receives once the file is stored.
enum FormAnswer: Sendable {
  case status(HTTPResponse.Status)
  case redirect(String)

  /// Creates the response that is requested by the fields of a form.
  ///
  /// Without a redirect or a supported status code, the response is 204 (No Content).
  ///
  /// - Throws: An `InvalidArgument` error if the redirect is not an absolute HTTP(S) URL without a fragment.
  init(_ form: SubmittedForm) throws(RefusalAnswer) {
    if let url = form["success_action_redirect"], !url.isEmpty {
      guard url.hasBytePrefix("https://") || url.hasBytePrefix("http://"),
        url.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f && $0 != UInt8(ascii: "#") })
      else { throw .invalidArgument("The success_action_redirect is not an HTTP URL without a fragment.") }
      self = .redirect(url)
      return
    }
    switch form["success_action_status"] {
    case "200": self = .status(.ok)
    case "201": self = .status(.created)
    default: self = .status(.noContent)
    }
  }

  /// Returns the HTTP response for an object that a form upload stored.
  func answer(bucket: String, key: String, entityTag: String, location: String, headers: HTTPFields) -> Answer {
    var headers = headers
    headers[.location] = location
    switch self {
    case .redirect(let url):
      headers[.location] = String(writing: { writer in
        writer.append(url)
        writer.append(UInt8(ascii: url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"))
        writer.append("bucket=")
        writer.append(percentEncoding: bucket)
        writer.append("&key=")
        writer.append(percentEncoding: key)
        writer.append("&etag=")
        writer.append(percentEncoding: entityTag)
      })
      return Answer(.seeOther, headers: headers)
    case .status(.created):
      let document = XMLNode(
        "PostResponse",
        children: [
          XMLNode("Location", location), XMLNode("Bucket", bucket), XMLNode("Key", key), XMLNode("ETag", entityTag),
        ])
      var answer = Answer(document, headers: headers)
      answer.status = .created
      return answer
    case .status(let status):
      return Answer(status, headers: headers)
    }
  }
}
