// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A request that OSS sends to a server of the app after it has stored an uploaded object.
///
/// The body of the request is a template, in which OSS replaces variables such as `${object}` and `${size}`, and the
/// app's own variables, whose names start with `x:`. The server must respond with JSON, which the service returns.
///
/// ```swift
/// let callback = UploadCallback(
///   to: ["https://app.example.com/uploaded"], body: "object=${object}&size=${size}&user=${x:user}",
///   variables: ["x:user": "7"])
/// let object = try await client.upload(file, to: "cat.jpg", options: UploadOptions(headers: callback.headerFields))
/// ```
///
/// The page is "Callback", <https://www.alibabacloud.com/help/en/oss/developer-reference/callback>.
public struct UploadCallback: Sendable, Hashable {
  /// A format of the callback's body, and of the values in it.
  public enum BodyFormat: String, Sendable, Hashable {
    /// A form, in which the values are percent-encoded.
    case form = "application/x-www-form-urlencoded"
    /// JSON, in which texts have quotation marks, so that the template has none around a variable.
    case json = "application/json"
  }

  /// The URLs of the app's server, percent-encoded and at most five, of which OSS tries one after another until a request succeeds.
  public var urls: [String]
  /// The `Host` header of the callback, or `nil` for the host of the URL.
  public var host: String?
  /// The template of the body.
  public var body: String
  /// The format of the body.
  public var format: BodyFormat
  /// The values of the app's own variables, by names such as `x:user`, in lowercase.
  public var variables: [String: String]
  /// Whether OSS names the host when it opens a TLS connection (SNI), as servers with several certificates require.
  public var sendsServerName: Bool

  /// Creates a callback; the parameters are the properties.
  public init(
    to urls: [String], body: String, format: BodyFormat = .form, variables: [String: String] = [:],
    host: String? = nil, sendsServerName: Bool = false
  ) {
    self.urls = urls
    self.body = body
    self.format = format
    self.variables = variables
    self.host = host
    self.sendsServerName = sendsServerName
  }

  /// The headers of an upload: `x-oss-callback`, and `x-oss-callback-var` if there are variables.
  ///
  /// - Throws: A `SigningError` with the code `invalidConfiguration` if OSS would reject the callback.
  public var headerFields: HTTPFields {
    get throws(SigningError) {
      var fields: HTTPFields = [.ossCallback: try base64Callback]
      if let variables = base64Variables { fields[.ossCallbackVariables] = variables }
      return fields
    }
  }

  /// The query parameters of a presigned upload: `callback`, and `callback-var` if there are variables.
  ///
  /// The signature covers them, and the user of the URL needs no header for the callback.
  ///
  /// - Throws: A `SigningError` with the code `invalidConfiguration` if OSS would reject the callback.
  public var parameters: [RequestTarget.Parameter] {
    get throws(SigningError) {
      let callback = RequestTarget.Parameter(name: "callback", value: try base64Callback)
      return [callback] + (base64Variables.map { [RequestTarget.Parameter(name: "callback-var", value: $0)] } ?? [])
    }
  }

  /// The condition of a form policy that adds the callback to the form and to what is signed.
  ///
  /// The variables are separate, unsigned ``formFields``. Put values that the server trusts into the template.
  ///
  /// - Throws: A `SigningError` with the code `invalidConfiguration` if OSS would reject the callback.
  public var formCondition: FormCondition {
    get throws(SigningError) { FormCondition("callback", .equals(try base64Callback)) }
  }

  /// The form fields with the variables, which are sent before the file.
  public var formFields: [FormField] {
    variables.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { FormField($0.key, $0.value) }
  }

  private var base64Callback: String {
    get throws(SigningError) {
      try requireAcceptableValues()
      var document: JSONObject = ["callbackUrl": .string(urls.joined(separator: ";"))]
      document["callbackHost"] = host.map { .string($0) }
      document["callbackBody"] = .string(body)
      document["callbackBodyType"] = .string(format.rawValue)
      if sendsServerName { document["callbackSNI"] = true }
      let text = Self.base64(document)
      guard text.utf8.count + (base64Variables?.utf8.count ?? 0) <= Self.headerByteLimit else {
        throw .callback(
          "The template and the variables are longer than \(Self.headerByteLimit) bytes in Base64.",
          remedy: "Shorten them; the app's server can look up the rest.")
      }
      return text
    }
  }

  private var base64Variables: String? {
    guard !variables.isEmpty else { return nil }
    var document = JSONObject()
    for field in formFields { document[field.name] = .string(field.value) }
    return Self.base64(document)
  }

  private static func base64(_ document: JSONObject) -> String {
    String(writing: { $0.append(base64: JSONValue.object(document).serialized) })
  }

  private static let urlLimit = 5
  /// The maximum size, in bytes, of both headers together, which leaves space for the other headers of an upload.
  private static let headerByteLimit = 6 * 1024

  private func requireAcceptableValues() throws(SigningError) {
    guard (1...Self.urlLimit).contains(urls.count) else {
      throw .callback("There are \(urls.count) URLs.", remedy: "Give one to \(Self.urlLimit) URLs.")
    }
    for url in urls where !Self.isURL(url) {
      throw .callback(
        "\"\(url)\" is not a URL to which OSS can send a callback.",
        remedy: "Use http:// or https://, a host name or an IPv4 address, and percent-encode the rest.")
    }
    if let host, !Self.isAuthority(host[...]) {
      throw .callback("\"\(host)\" is not a host.", remedy: "Use a host name or an IPv4 address.")
    }
    for name in variables.keys where !Self.isVariableName(name) {
      throw .callback(
        "\"\(name)\" is not the name of a variable.",
        remedy: "Start it with x: and use lowercase letters, digits, - _ and . after that.")
    }
    guard !body.isEmpty, let template = CallbackTemplate(body) else {
      throw .callback(
        "The template of the body is empty, or has a ${ without a }.", remedy: "Write variables as ${object}.")
    }
    let systemVariables = CallbackTemplate.systemVariables
    for name in template.variables where variables[name] == nil && !systemVariables.contains(name) {
      throw .callback(
        "The template has the variable \"\(name)\", which has no value.",
        remedy: "Add it to the variables, or use one of \(systemVariables.sorted().joined(separator: ", ")).")
    }
  }

  /// Returns whether a URL has a scheme, a host and no character that would end it or separate it from another URL.
  private static func isURL(_ url: String) -> Bool {
    let urlWithoutScheme = url.removingBytePrefix("https://") ?? url.removingBytePrefix("http://")
    guard let urlWithoutScheme else { return false }
    return urlWithoutScheme.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7f && !"#;\\".utf8.contains($0) }
      && isAuthority(urlWithoutScheme.bytes(before: "/").bytes(before: "?"))
  }

  private static func isAuthority(_ text: Substring) -> Bool {
    let parts = text.parts(between: ":")
    let isHost = parts[0].utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
    let isPort = parts.count == 1 || parts.count == 2 && UInt16(digits: parts[1]).map { $0 > 0 } ?? false
    return !parts[0].isEmpty && isHost && isPort
  }

  private static func isVariableName(_ name: String) -> Bool {
    name.hasBytePrefix("x:") && name.utf8.count > 2
      && name.utf8.dropFirst(2).allSatisfy { byte in
        byte.isASCIILetterOrDigit && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
          || "-_.".utf8.contains(byte)
      }
  }
}

extension SigningError {
  fileprivate static func callback(_ message: String, remedy: String) -> SigningError {
    SigningError(.invalidConfiguration, "The callback cannot be used: \(message)", remedy: remedy)
  }
}

/// The message whose signature a callback carries.
package enum CallbackMessage {
  /// Returns the bytes that a callback's signature covers: the decoded path, the query, a line feed and the body.
  ///
  /// The result is `nil` if the decoded path contains a question mark or a control character, and so may be ambiguous.
  package static func bytes(target: String, body: [UInt8]) -> [UInt8]? {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    let query = target.utf8[path.endIndex...]
    guard path.first == UInt8(ascii: "/"), query.allSatisfy({ $0 > UInt8(ascii: " ") && $0 != 0x7f }),
      var bytes = String(Substring(path)).percentDecodedBytes(),
      bytes.allSatisfy({ $0 >= UInt8(ascii: " ") && $0 != 0x7f && $0 != UInt8(ascii: "?") })
    else { return nil }
    bytes += query
    bytes.append(UInt8(ascii: "\n"))
    return bytes + body
  }
}

/// The template of a callback's body: text with variables such as `${object}`.
package struct CallbackTemplate: Sendable {
  package enum Piece: Sendable, Equatable {
    case text(String)
    case variable(String)
  }

  /// The names of the variables that OSS sets, from the page "Callback".
  package static let systemVariables: Set<String> = [
    "bucket", "object", "etag", "size", "mimeType", "imageInfo.height", "imageInfo.width", "imageInfo.format", "crc64",
    "contentMd5", "vpcId", "clientIp", "reqId", "operation",
  ]

  package let pieces: [Piece]

  package var variables: [String] {
    pieces.compactMap { piece in if case .variable(let name) = piece { name } else { nil } }
  }

  /// Parses a template, or returns `nil` if a variable has no end.
  package init?(_ text: String) {
    var pieces: [Piece] = []
    var remainder = text.utf8[...]
    while let start = remainder.firstRange(of: "${".utf8) {
      guard let end = remainder[start.upperBound...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
      if start.lowerBound > remainder.startIndex { pieces.append(.text(Self.text(remainder[..<start.lowerBound]))) }
      pieces.append(.variable(Self.text(remainder[start.upperBound..<end])))
      remainder = remainder[end...].dropFirst()
    }
    if !remainder.isEmpty { pieces.append(.text(Self.text(remainder))) }
    self.pieces = pieces
  }

  private static func text(_ bytes: Substring.UTF8View) -> String { String(Substring(bytes)) }
}
