// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The changes that HTTP stacks and proxies commonly make to a request.
///
/// If a service shows only a hash of the request that it received, the changed request with the same hash is the
/// received request.
enum LikelyRewriting {
  /// Returns the requests that the service may have received instead of the given request.
  static func all(of request: HTTPRequest) -> [HTTPRequest] {
    var all = paths(of: request) + queries(of: request) + hosts(of: request) + types(of: request)
    for method in methods { all.append(request.with { $0.method = method }) }
    for name in Set(request.headerFields.map(\.name)) where name != .authorization {
      all.append(request.with { $0.headerFields[name] = nil })
    }
    return all
  }

  /// The methods of requests for objects.
  static let methods: [HTTPRequest.Method] = [.get, .head, .put, .post, .delete]

  /// Returns the requests with another Content-Type.
  static func types(of request: HTTPRequest) -> [HTTPRequest] {
    contentTypes(after: request.headerFields[.contentType]).map { type in
      request.with { $0.headerFields[.contentType] = type }
    }
  }

  private static func contentTypes(after type: String?) -> [String?] {
    guard let type else {
      return [
        "application/octet-stream", "application/x-www-form-urlencoded", "application/json", "application/xml",
        "text/plain", "text/plain; charset=utf-8", "text/plain;charset=UTF-8", "text/html", "text/csv", "image/jpeg",
        "image/png", "application/pdf", "application/zip", "video/mp4", "audio/mpeg",
      ]
    }
    return ["; charset=utf-8", ";charset=utf-8", "; charset=UTF-8", ";charset=UTF-8"].map { type + $0 }
      + ["application/octet-stream", "application/x-www-form-urlencoded", nil]
  }

  private static func paths(of request: HTTPRequest) -> [HTTPRequest] {
    let (path, query) = (request.path ?? "/").cutOnce(at: "?")
    let paths = [
      path.replacing("+", with: "%20"), path.replacing("%20", with: "+"), path.replacing("+", with: "%2B"),
      path.replacing("%2B", with: "+"), path.replacing("%", with: "%25"), path.unescaped ?? path, path.slashesMerged,
      path.dotsResolved, path.dotsResolved.slashesMerged,
    ]
    return paths.map { path in request.with { $0.path = query.map { "\(path)?\($0)" } ?? path } }
  }

  /// Returns the requests without one of the query parameters, without the first or the last of them, or with other
  /// escapes.
  static func queries(of request: HTTPRequest) -> [HTTPRequest] {
    let (path, query) = (request.path ?? "/").cutOnce(at: "?")
    guard let query else { return [] }
    let items = query.cut(at: "&")
    var rest = items.indices.map { index in
      items.indices.filter { $0 != index }.map { items[$0] }.joined(separator: "&")
    }
    // Parameters that were added to a presigned URL are usually after those of the signature, or before them.
    rest += items.indices.dropFirst().flatMap { index in
      [items[..<index], items[index...]].map { $0.joined(separator: "&") }
    }
    let queries =
      rest + [
        query.replacing("+", with: "%2B"), query.replacing("%2B", with: "+"), query.replacing("%", with: "%25"),
      ]
    return queries.map { query in request.with { $0.path = query.isEmpty ? path : "\(path)?\(query)" } }
  }

  private static func hosts(of request: HTTPRequest) -> [HTTPRequest] {
    let host = (request.authority ?? "").cutOnce(at: ":").before
    return [host, "\(host):80", "\(host):443", "\(host):8080"].map { host in request.with { $0.authority = host } }
  }
}

extension HTTPRequest {
  func with(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
    var request = self
    change(&request)
    return request
  }
}
