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

  /// Returns the requests that the client may have signed, without the request itself.
  ///
  /// The result is empty for a request with so many parts that generating the requests would take long.
  static func all(of request: HTTPRequest) -> [HTTPRequest] {
    let target = request.path ?? "/"
    guard target.utf8.count <= targetByteLimit, target.count(of: "&") < fieldLimit,
      request.headerFields.count <= fieldLimit
    else { return [] }
    var all = LikelyRewriting.all(of: request)
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
    return all.filter { $0 != request }
  }
}
