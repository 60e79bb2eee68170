// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import StorageCrypto

/// The path of a request, divided at the position of an object's key.
package struct ObjectPath: Sendable {
  /// The path before the object's key, which ends with a slash.
  package let start: String
  /// The query with its question mark, or an empty string.
  package let query: String

  /// Divides a request's path.
  ///
  /// - Throws: A ``SigningError`` if the path does not end with a slash: it is then that of an object.
  package init(of request: HTTPRequest) throws(SigningError) {
    let path = request.path ?? "/"
    let pathEnd = path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
    start = String(path[..<pathEnd])
    query = String(path[pathEnd...])
    guard start.hasByteSuffix("/") else {
      throw SigningError(
        .invalidPath, "The path does not end with a slash, after which the keys of objects belong.",
        remedy: "Pass a request for the bucket; ServiceEndpoint creates it if no key is given.")
    }
  }

  /// Returns a copy of a request for the bucket with the path of an object.
  package func request(_ key: String, like request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.path = String(writing: { writer in
      writer.append(start)
      writer.append(percentEncoding: key, .path)
      writer.append(query)
    })
    return request
  }
}

/// The parts of a signed text, divided after the path, so that a bucket's objects share the parts around their keys.
package enum SignedTextPart: Sendable {
  case whole
  case throughPath
  case afterPath

  package var hasPath: Bool { self != .afterPath }
  package var hasRest: Bool { self != .throughPath }
}
