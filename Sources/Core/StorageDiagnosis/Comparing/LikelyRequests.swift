// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The requests that differ from a given one by the changes that clients, HTTP stacks and proxies commonly make.
///
/// If a client made a common mistake, its signature is valid for one of ``signedByClient(sending:)``. If a service
/// shows only a hash of what it received, one of ``receivedByService(from:)`` can have that hash.
enum LikelyRequests {
  /// The maximum length of a request target, in bytes, for which requests are generated.
  private static let targetByteLimit = 8 * 1024
  /// The maximum number of query parameters, and of headers, for which requests are generated.
  ///
  /// The work grows with its square, because each field adds requests of about the same length that must be signed.
  private static let fieldLimit = 64
  /// The maximum number of query parameters for which requests with two differences are generated.
  private static let pairedParameterLimit = 24
  private static let likelyMethods: [HTTPRequest.Method] = [.get, .head, .put, .post, .delete]

  /// Returns the other requests that the client may have signed, or none if generating them would take long.
  static func signedByClient(sending request: HTTPRequest) -> [HTTPRequest] {
    let target = request.path ?? "/"
    guard target.utf8.count <= targetByteLimit, target.occurrences(of: "&") < fieldLimit,
      request.headerFields.count <= fieldLimit
    else { return [] }
    var requests = receivedByService(from: request) + changingBucket(of: request)
    if let type = request.headerFields[.contentType] {
      let mediaType = String(type.splitOnce(at: ";").before.droppingBlanks)
      for value in [mediaType, mediaType + "; charset=utf-8", mediaType + ";charset=utf-8"] {
        requests.append(request.with { $0.headerFields[.contentType] = value })
      }
    }
    for name in changeableHeaders(of: request) {
      // HTTP stacks drop the spaces in front of a value.
      guard let value = request.headerFields[name], value.hasBytePrefix(" ") else { continue }
      requests.append(request.with { $0.headerFields[name] = String(value.droppingBlanks) })
    }
    if target.occurrences(of: "&") < pairedParameterLimit { requests += changingTwoParts(of: request) }
    return requests.filter { $0 != request }
  }

  /// Returns the requests that a service may have received in place of the given one.
  static func receivedByService(from request: HTTPRequest) -> [HTTPRequest] {
    changingPath(of: request) + changingQuery(of: request) + changingHost(of: request)
      + changingContentType(of: request) + changingMethod(of: request)
      + changeableHeaders(of: request).map { name in request.with { $0.headerFields[name] = nil } }
  }

  /// Returns the requests that differ from the given one in two ways that often occur together.
  ///
  /// A client that sends a body with another method than that of the URL usually adds a Content-Type as well.
  private static func changingTwoParts(of request: HTTPRequest) -> [HTTPRequest] {
    var onceChanged = changingMethod(of: request).filter { $0 != request }
    if request.headerFields.contains(.contentType) {
      onceChanged += ([request] + onceChanged).map { changed in changed.with { $0.headerFields[.contentType] = nil } }
    }
    return onceChanged
      + onceChanged.flatMap { changingQuery(of: $0) + changingContentType(of: $0) + changingBucket(of: $0) }
  }

  /// Returns the requests whose path repeats its first segment, lacks it, or begins with the first label of the host.
  ///
  /// The segment, or the label, is the bucket if the client addressed it in the other of the two styles.
  private static func changingBucket(of request: HTTPRequest) -> [HTTPRequest] {
    let path = (request.path ?? "/").splitOnce(at: "?").before
    let segments = path.split(at: "/")
    guard segments.count > 1, !segments[1].isEmpty else { return [] }
    let pathWithoutFirst = segments.count > 2 ? "/" + segments[2...].joined(separator: "/") : "/"
    let hostLabel = (request.authority ?? "").splitOnce(at: ".").before
    return requests(like: request, withPaths: ["/\(segments[1])\(path)", pathWithoutFirst, "/\(hostLabel)\(path)"])
  }

  private static func changingMethod(of request: HTTPRequest) -> [HTTPRequest] {
    likelyMethods.map { method in request.with { $0.method = method } }
  }

  private static func changingContentType(of request: HTTPRequest) -> [HTTPRequest] {
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

  private static func changingPath(of request: HTTPRequest) -> [HTTPRequest] {
    let path = (request.path ?? "/").splitOnce(at: "?").before
    let paths = [
      path.replacing("+", with: "%20"), path.replacing("%20", with: "+"), path.replacing("+", with: "%2B"),
      path.replacing("%2B", with: "+"), path.replacing("%", with: "%25"), path.percentDecoded() ?? path,
      path.slashesMerged, path.dotsResolved, path.dotsResolved.slashesMerged,
    ]
    return requests(like: request, withPaths: paths)
  }

  private static func requests(like request: HTTPRequest, withPaths paths: [String]) -> [HTTPRequest] {
    let query = (request.path ?? "/").splitOnce(at: "?").after
    return paths.map { path in request.with { $0.path = query.map { "\(path)?\($0)" } ?? path } }
  }

  /// Returns the requests without one parameter, without the first or the last ones, or with other escapes.
  private static func changingQuery(of request: HTTPRequest) -> [HTTPRequest] {
    let (path, query) = (request.path ?? "/").splitOnce(at: "?")
    guard let query else { return [] }
    let items = query.split(at: "&")
    var queries = items.indices.map { index in
      items.indices.filter { $0 != index }.map { items[$0] }.joined(separator: "&")
    }
    // Parameters that were added to a presigned URL are usually after those of the signature, or before them.
    queries += items.indices.dropFirst().flatMap { index in
      [items[..<index], items[index...]].map { $0.joined(separator: "&") }
    }
    queries += [
      query.replacing("+", with: "%2B"), query.replacing("%2B", with: "+"), query.replacing("%", with: "%25"),
    ]
    return queries.map { query in request.with { $0.path = query.isEmpty ? path : "\(path)?\(query)" } }
  }

  private static func changingHost(of request: HTTPRequest) -> [HTTPRequest] {
    let host = (request.authority ?? "").splitOnce(at: ":").before
    return [host, "\(host):80", "\(host):443", "\(host):8080"].map { host in request.with { $0.authority = host } }
  }

  private static func changeableHeaders(of request: HTTPRequest) -> Set<HTTPField.Name> {
    Set(request.headerFields.map(\.name)).subtracting([.authorization])
  }
}
