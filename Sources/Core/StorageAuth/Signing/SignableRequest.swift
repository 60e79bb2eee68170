// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// An HTTP request of any library, for which a ``HeaderSigner`` creates header fields.
///
/// `HTTPRequest` is one. A type of another library becomes one in a few lines:
///
/// ```swift
/// extension Call: SignableRequest {
///   var methodName: String { verb }
///   var scheme: String? { "https" }
///   var authority: String? { host }
///   var path: String? { target }
///   var fieldPairs: [(name: String, value: String)] { headers }
/// }
/// ```
public protocol SignableRequest {
  /// The name of the method, such as `PUT`.
  var methodName: String { get }
  /// The scheme of the URL, such as `https`, or `nil` if it is not known.
  var scheme: String? { get }
  /// The host with its port, exactly as the request sends it, or `nil` if the request has none.
  var authority: String? { get }
  /// The path and the query, percent-encoded exactly as the request sends them; `nil` means `/`.
  var path: String? { get }
  /// The names and values of the header fields; `Host`, if it is among them, must be the authority.
  var fieldPairs: [(name: String, value: String)] { get }
}

extension HTTPRequest: SignableRequest {
  /// The name of the method, such as `PUT`.
  public var methodName: String { method.rawValue }
  /// The names and values of the header fields.
  public var fieldPairs: [(name: String, value: String)] { headerFields.map { ($0.name.canonicalName, $0.value) } }
}

extension HTTPRequest {
  /// Creates a request from a request of any library, or throws an error if a part of it cannot be sent.
  init(_ request: some SignableRequest) throws(SigningError) {
    if let httpRequest = request as? HTTPRequest {
      self = httpRequest
      return
    }
    guard let method = Method(request.methodName) else {
      throw .invalidRequest("The request's method is not a token.", remedy: "Name a method such as GET or PUT.")
    }
    self.init(method: method, scheme: request.scheme, authority: request.authority, path: request.path ?? "/")
    for (name, value) in request.fieldPairs { try appendField(named: name, value: value) }
  }

  /// Appends a header field, except for `Host`, which must be the authority.
  private mutating func appendField(named name: String, value: String) throws(SigningError) {
    if name.asciiLowercased == "host" {
      guard value.asciiLowercased == authority?.asciiLowercased else {
        throw SigningError(
          .invalidHeader, "The request's Host header differs from the authority that is signed.",
          remedy: "Remove the Host header, or set the authority to the same host.")
      }
      return
    }
    guard let fieldName = HTTPField.Name(name), HTTPField.isValidValue(value) else {
      throw SigningError(
        .invalidHeader, "The header \(name.onOneLine) has a name or a value that cannot be sent.",
        remedy: "Encode the value, and remove line breaks and spaces at its ends.")
    }
    headerFields.append(HTTPField(name: fieldName, value: value))
  }
}

/// The parts of a URL that a request sends: without a user and without a fragment.
package struct RequestURL {
  package let scheme: String
  package let authority: String
  package let path: String

  /// Divides an absolute URL, or returns `nil` for a URL without a scheme.
  package init?(_ url: String) {
    guard let separator = url.firstRange(of: "://") else { return nil }
    scheme = String(url[..<separator.lowerBound])
    let afterScheme = url[separator.upperBound...]
    let authorityEnd = afterScheme.utf8.firstIndex { "/?#".utf8.contains($0) } ?? afterScheme.endIndex
    let userEnd = afterScheme[..<authorityEnd].utf8.lastIndex(of: UInt8(ascii: "@"))
    let hostStart = userEnd.map { afterScheme.utf8.index(after: $0) } ?? afterScheme.startIndex
    authority = String(afterScheme[hostStart..<authorityEnd])
    let pathAndQuery = afterScheme[authorityEnd...].bytes(before: "#")
    // A URL without a path, with or without a query, stands for the path `/`.
    path = pathAndQuery.beginsWithByte("/") ? String(pathAndQuery) : "/\(pathAndQuery)"
  }
}
