// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth
internal import StorageDiagnosis

/// A parser for files that contain a request as a curl command line or as a JSON object.
enum RequestText {
  /// Parses a request from a curl command line or a JSON object.
  ///
  /// The JSON object has the members `method`, `url` and `headers`. The headers are an object or an array of pairs.
  ///
  /// - Throws: A `ValidationError` if the text is malformed.
  static func request(_ text: String) throws -> HTTPRequest {
    guard text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) == "{" else {
      guard let line = try? CurlLine(text) else {
        throw ValidationError("The curl command line has an unclosed quote: close it, or pass the request as JSON.")
      }
      return try HTTPRequest(method: line.method, url: line.url, headers: line.headers)
    }
    guard let object = (try? JSONValue(parsing: Array(text.utf8)))?.object else {
      throw ValidationError("The request is not a valid JSON object.")
    }
    var headers: [String] = []
    for pair in object["headers"]?.array ?? [] {
      headers.append(try header(pair[0]?.string, pair[1]))
    }
    if let fields = object["headers"]?.object {
      for (name, value) in fields { headers.append(try header(name, value)) }
    }
    return try HTTPRequest(method: object["method"]?.string, url: object["url"]?.string, headers: headers)
  }

  private static func header(_ name: String?, _ value: JSONValue?) throws -> String {
    guard let name, let value = value?.code else {
      throw ValidationError("A header of the request has no name, or no value that is a string or a number.")
    }
    return "\(name): \(value)"
  }
}
