// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A rule (CORS) that lets web pages of some origins send requests to a bucket and read the responses.
struct CrossOriginRule: Sendable {
  /// The name of the root element of a bucket's rules.
  static let rootElement = "CORSConfiguration"

  /// The methods that a rule can allow.
  static let allMethods = ["GET", "PUT", "POST", "DELETE", "HEAD"]

  /// The allowed origins, in which an asterisk stands for any characters.
  let origins: [String]
  let methods: [String]
  /// The headers that requests can have, in which an asterisk stands for any characters.
  let headers: [String]
  let exposedHeaders: [String]
  /// The number of seconds for which a browser remembers the response to a preflight request, or `nil` for its default.
  let lifetime: String?

  /// Returns the rules of a bucket's document, or throws if it has none or one without an origin and a known method.
  static func rules(of document: XMLNode) throws(ErrorResponse) -> [CrossOriginRule] {
    let rules = document.all("CORSRule").map { rule in
      CrossOriginRule(
        origins: rule.all("AllowedOrigin").map(\.text), methods: rule.all("AllowedMethod").map(\.text),
        headers: rule.all("AllowedHeader").map(\.text), exposedHeaders: rule.all("ExposeHeader").map(\.text),
        lifetime: rule["MaxAgeSeconds"]?.text)
    }
    let methods = Set(allMethods)
    guard !rules.isEmpty,
      rules.allSatisfy({ !$0.origins.isEmpty && !$0.methods.isEmpty && methods.isSuperset(of: $0.methods) })
    else {
      throw .malformedXML("A CORSRule needs an AllowedOrigin, and an AllowedMethod of those that the service knows.")
    }
    return rules
  }

  /// Returns whether web pages of an origin may send requests with a method and these headers.
  func allows(origin: String, method: String, headers names: [String]) -> Bool {
    let allowsHeaders = names.allSatisfy { name in
      headers.contains { WildcardPattern($0.asciiLowercased).matches(name.asciiLowercased) }
    }
    return allowsHeaders && methods.contains(method) && origins.contains { WildcardPattern($0).matches(origin) }
  }

  /// Adds the headers with which a web page of an allowed origin can read the response.
  func addHeaders(to response: inout Answer, for origin: String) {
    // Browsers reject the wildcard in responses to requests with credentials, and credentials need the exact origin.
    let isPublic = origins.contains("*")
    response.headers.set("access-control-allow-origin", isPublic ? "*" : origin)
    if !isPublic { response.headers.set("access-control-allow-credentials", "true") }
    response.headers.set("access-control-allow-methods", methods.joined(separator: ", "))
    if !exposedHeaders.isEmpty {
      response.headers.set("access-control-expose-headers", exposedHeaders.joined(separator: ", "))
    }
    response.headers.set("vary", "Origin")
  }
}
