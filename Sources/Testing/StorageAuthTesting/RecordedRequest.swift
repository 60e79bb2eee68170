// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A recorded request with its complete body.
///
/// The description has only the method, host, path without the query, and header names, so that tests print no secrets.
public struct RecordedRequest: Sendable {
  /// The head of the request: method, scheme, authority, path with query, and headers.
  public let head: HTTPRequest
  /// The complete body of the request.
  public let body: [UInt8]

  /// Creates a recorded request; the parameters are the properties.
  public init(head: HTTPRequest, body: [UInt8] = []) {
    self.head = head
    self.body = body
  }

  /// The method of the request.
  public var method: HTTPRequest.Method { head.method }

  /// The path and the query of the request, exactly as sent.
  public var path: String { head.path ?? "" }

  /// The complete URL of the request, exactly as sent.
  public var url: String { "\(head.scheme ?? "")://\(head.authority ?? "")\(path)" }

  /// The body as a string, in which bytes that are not valid UTF-8 are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Returns the value of the header with a name in any letter case, or `nil` if the request does not contain it.
  public func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }

  /// Returns the value of a query parameter; both the name and the value are percent-encoded as in the query.
  ///
  /// The value is an empty string for a parameter without one, and `nil` if there is no such parameter.
  public func parameter(_ name: String) -> String? {
    let items = path.bytes(after: "?").words(between: "&")
    let item = items.first { $0.bytes(before: "=").utf8.elementsEqual(name.utf8) }
    return item.map { String($0.bytes(after: "=")) }
  }
}

extension RecordedRequest: Redacted {
  /// The method, the URL without its query, the header names, and the size of the body.
  public var description: String {
    let visible = url.prefix { $0 != "?" }
    let query = visible.count < url.count ? "?\(Secret.mask)" : ""
    let names = head.headerFields.map { $0.name.rawName }.joined(separator: ", ")
    return "\(method) \(visible)\(query), headers: [\(names)], body: \(body.count) bytes"
  }
}
