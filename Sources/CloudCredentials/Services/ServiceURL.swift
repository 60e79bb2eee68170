package import HTTPTypes
internal import StorageAuth

/// Where a service is asked: a URL cut into what a request needs.
package struct ServiceURL: Sendable {
  package let scheme: String
  package let authority: String
  /// The path with its query; at least `/`.
  package let path: String

  /// Reads `http` and `https` URLs; nothing for one with a user, a fragment, or a character that may not travel.
  package init?(_ url: String) {
    guard let separator = url.firstRange(of: "://") else { return nil }
    scheme = url[..<separator.lowerBound].lowercased()
    let rest = url[separator.upperBound...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    authority = rest[..<end].lowercased()
    let tail = String(rest[end...])
    path = tail.hasPrefix("/") ? tail : "/" + tail
    let isClean = path.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7f && $0 != UInt8(ascii: "#") }
    guard scheme == "https" || scheme == "http", isHost(authority), isClean else { return nil }
  }

  init(scheme: String, authority: String, path: String) {
    self.scheme = scheme
    self.authority = authority
    self.path = path
  }

  /// Whether nobody on the way can read what is sent: it is encrypted, or stays on this machine.
  var isPrivate: Bool { scheme == "https" || isLoopbackHost(authority) }

  /// The URL without its query, which may hold a login.
  package var visible: String { "\(scheme)://\(authority)\(path.prefix { $0 != "?" })" }

  /// The same service at another path; a path of the base comes first, its query is left out.
  package func appending(_ suffix: String) -> ServiceURL {
    var base = String(path.prefix { $0 != "?" })
    if base.hasSuffix("/") { base.removeLast() }
    return ServiceURL(scheme: scheme, authority: authority, path: base + suffix)
  }

  /// A call; its `Content-Length` is set where there is a body, or the method wants one.
  package func call(_ method: HTTPRequest.Method, headers: HTTPFields = [:], body: [UInt8] = []) -> ServiceCall {
    var request = HTTPRequest(
      method: method, scheme: scheme, authority: authority, path: path, headerFields: headers)
    if request.headerFields[.accept] == nil { request.headerFields[.accept] = "application/json" }
    if !body.isEmpty || method == .post || method == .put {
      request.headerFields[.contentLength] = "\(body.count)"
    }
    return ServiceCall(request, body: body)
  }
}
