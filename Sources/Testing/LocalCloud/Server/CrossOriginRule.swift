// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A rule (CORS) that lets web pages of some origins send requests to a bucket and read the responses.
struct CrossOriginRule: Sendable {
  static let rootElement = "CORSConfiguration"
  static let allMethods = ["GET", "PUT", "POST", "DELETE", "HEAD"]

  /// The allowed origins, in which an asterisk stands for any characters, as in `headers`.
  let origins: [String]
  let methods, headers, exposedHeaders: [String]
  /// The number of seconds for which a browser remembers the response to a preflight request, or `nil` for its default.
  let lifetime: String?

  /// Returns the rules of a document, which must have at least one; each needs an origin and a known method.
  static func rules(of document: XMLNode) throws(ErrorResponse) -> [CrossOriginRule] {
    let rules = document.all("CORSRule").map { rule in
      CrossOriginRule(
        origins: rule.all("AllowedOrigin").map(\.text), methods: rule.all("AllowedMethod").map(\.text),
        headers: rule.all("AllowedHeader").map(\.text), exposedHeaders: rule.all("ExposeHeader").map(\.text),
        lifetime: rule["MaxAgeSeconds"]?.text)
    }
    let isValid = rules.allSatisfy { rule in
      !rule.origins.isEmpty && !rule.methods.isEmpty && Set(allMethods).isSuperset(of: rule.methods)
    }
    guard isValid, !rules.isEmpty else {
      throw .malformedXML("A CORSRule needs an AllowedOrigin, and an AllowedMethod of those that the service knows.")
    }
    return rules
  }

  func allows(origin: String, method: String, headers headerNames: [String]) -> Bool {
    let allowsHeaders = headerNames.allSatisfy { name in
      headers.contains { WildcardPattern($0.asciiLowercased).matches(name.asciiLowercased) }
    }
    return allowsHeaders && methods.contains(method) && origins.contains { WildcardPattern($0).matches(origin) }
  }

  func addHeaders(to response: inout Answer, for origin: String) {
    // Browsers accept the response to a request with credentials only with the exact origin.
    let isPublic = origins.contains("*")
    response.headers.set("access-control-allow-origin", isPublic ? "*" : origin)
    if !isPublic { response.headers.set("access-control-allow-credentials", "true") }
    response.headers.set("access-control-allow-methods", methods.joined(separator: ", "))
    let exposedList = exposedHeaders.joined(separator: ", ")
    if !exposedList.isEmpty { response.headers.set("access-control-expose-headers", exposedList) }
    response.headers.set("vary", "Origin")
  }
}
