// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The requests that a client may have signed, for a request that arrived with a signature that does not match.
enum LikelyOrigin {
  /// The maximum length of a request target for which origins are generated, in bytes.
  private static let targetByteLimit = 8 * 1024
  /// The maximum number of query parameters, and of headers, for which origins are generated.
  private static let fieldLimit = 64

  /// The maximum number of query parameters for which origins with two differences are generated.
  private static let pairedParameterLimit = 24

  /// Returns the requests that the client may have signed, without the request itself.
  ///
  /// The result is empty for a request with so many parts that generating the requests would take long.
  static func all(of request: HTTPRequest) -> [HTTPRequest] {
    let target = request.path ?? "/"
    guard target.utf8.count <= targetByteLimit, target.count(of: "&") < fieldLimit,
      request.headerFields.count <= fieldLimit
    else { return [] }
    var all = LikelyRewriting.all(of: request) + paths(of: request)
    if let type = request.headerFields[.contentType] {
      let media = String(type.cutOnce(at: ";").before.droppingBlanks)
      for origin in [media, media + "; charset=utf-8", media + ";charset=utf-8"] {
        all.append(request.with { $0.headerFields[.contentType] = origin })
      }
    }
    for name in Set(request.headerFields.map(\.name)) where name != .authorization {
      let value = request.headerFields[name] ?? ""
      let trimmed = value.droppingBlanks
      if trimmed.utf8.count != value.utf8.count {
        all.append(request.with { $0.headerFields[name] = String(trimmed) })
      }
    }
    if target.count(of: "&") < pairedParameterLimit { all += pairs(of: request) }
    return all.filter { $0 != request }
  }

  /// Returns the requests that differ from the given one in two ways that often occur together.
  ///
  /// A client that sends a body with another method than that of the URL usually adds a Content-Type as well.
  private static func pairs(of request: HTTPRequest) -> [HTTPRequest] {
    var bases = LikelyRewriting.methods.map { method in request.with { $0.method = method } }.filter { $0 != request }
    if request.headerFields.contains(.contentType) {
      let untyped = request.with { $0.headerFields[.contentType] = nil }
      bases += [untyped] + bases.map { base in base.with { $0.headerFields[.contentType] = nil } }
    }
    return bases + bases.flatMap { LikelyRewriting.queries(of: $0) + LikelyRewriting.types(of: $0) + paths(of: $0) }
  }

  /// Returns the requests whose path contains the bucket once more or once less.
  private static func paths(of request: HTTPRequest) -> [HTTPRequest] {
    let (path, query) = (request.path ?? "/").cutOnce(at: "?")
    let parts = path.cut(at: "/")
    guard parts.count > 1, !parts[1].isEmpty else { return [] }
    let rest = parts.count > 2 ? "/" + parts[2...].joined(separator: "/") : "/"
    let label = (request.authority ?? "").cutOnce(at: ".").before
    let paths: [String] = ["/\(parts[1])\(path)", rest, "/\(label)\(path)"]
    return paths.map { path in
      request.with { $0.path = query.map { "\(path)?\($0)" } ?? path }
    }
  }
}
