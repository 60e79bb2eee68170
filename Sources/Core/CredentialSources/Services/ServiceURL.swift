// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import StorageAuth

/// A service's URL, parsed into the components that a request needs.
package struct ServiceURL: Sendable {
  package let scheme: String
  package let authority: String
  /// The path with the query; at least `/`.
  package private(set) var path: String

  /// Parses an `http` or `https` URL, or returns `nil` for a user, a fragment, or a character that must be encoded.
  package init?(_ url: String) {
    guard let separator = url.firstRange(of: "://") else { return nil }
    scheme = url[..<separator.lowerBound].lowercased()
    let afterScheme = url[separator.upperBound...]
    let authorityEnd = afterScheme.utf8.firstIndex { "/?#".utf8.contains($0) } ?? afterScheme.endIndex
    authority = afterScheme[..<authorityEnd].lowercased()
    let target = String(afterScheme[authorityEnd...])
    path = target.hasBytePrefix("/") ? target : "/" + target
    let isEncoded = path.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7f && $0 != UInt8(ascii: "#") }
    guard scheme == "https" || scheme == "http", isHost(authority), isEncoded else { return nil }
  }

  /// Whether requests cannot be read on the network: the connection is encrypted, or stays on this machine.
  package var isConfidential: Bool { scheme == "https" || LoopbackHost.isNamed(by: authority) }
  /// The URL without its query, which may contain a login, for messages.
  package var visible: String { "\(scheme)://\(authority)\(path.prefix { $0 != "?" })" }

  /// Returns this URL with `suffix` appended to the path and without the query.
  package func appending(_ suffix: String) -> ServiceURL {
    let pathWithoutQuery = String(path.prefix { $0 != "?" })
    let base = pathWithoutQuery.removingByteSuffix("/").map(String.init) ?? pathWithoutQuery
    var url = self
    url.path = base + suffix
    return url
  }

  /// Creates a request, with `Content-Length` if there is a body or if the method is POST or PUT.
  package func call(_ method: HTTPRequest.Method, headers: HTTPFields = [:], body: [UInt8] = []) -> ServiceCall {
    var request = HTTPRequest(method: method, scheme: scheme, authority: authority, path: path, headerFields: headers)
    if request.headerFields[.accept] == nil { request.headerFields[.accept] = "application/json" }
    if !body.isEmpty || method == .post || method == .put {
      request.headerFields[.contentLength] = "\(body.count)"
    }
    return ServiceCall(request, body: body)
  }
}
