// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth
internal import StorageDiagnosis

/// The request that `explain` and `verify` examine, and the facts about it that its URL does not contain.
struct RequestOptions: ParsableArguments {
  @Argument(help: "The method, such as GET.") var method: String?
  @Argument(help: "The URL, percent-encoded as it was sent.") var url: String?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: .text("A header that was sent, also the Authorization; repeatable.", value: "name: value"))
  var headers: [String] = []

  @Option(
    name: .customLong("request"),
    help: .text("A file with the request: a curl command line, or JSON with method, url, headers.", value: "file"))
  var requestFile: String?

  @Option(help: "\(CloudName.alternatives); by default the one to which the host belongs.") var provider: CloudName?
  @Option(help: "The region of the bucket, for OSS V4 and S3; derived from the host by default.") var region: String?
  @OptionGroup var addressing: AddressingOptions

  func validate() throws {
    let hasFile = requestFile != nil
    guard hasFile != (method != nil) else { throw ValidationError("Pass a METHOD and a URL, or --request.") }
    guard !hasFile || headers.isEmpty else {
      throw ValidationError("--header is for a METHOD and a URL: with --request, write the headers in the file.")
    }
    // Standard input can be read only once, so that a file is checked when the command runs.
    guard !hasFile else { return }
    let request = try sentRequest()
    _ = try addressing.address(of: request, in: cloud(of: request))
  }

  func sentRequest() throws -> HTTPRequest {
    if let requestFile { return try HTTPRequest(curlOrJSON: InputFile.text(requestFile)) }
    // As for presign, a single argument is the URL of a GET request.
    if url == nil, let method, method.contains("://") {
      return try HTTPRequest(method: "GET", url: method, headers: headers)
    }
    return try HTTPRequest(method: method, url: url, headers: headers)
  }

  func region(of request: HTTPRequest, in cloud: any Cloud) -> String? {
    region ?? cloud.region(ofHost: request.hostName)
  }

  /// Returns the cloud by the option, the host, the Authorization header, or else the signature in the URL.
  func cloud(of request: HTTPRequest) throws -> any Cloud {
    let name =
      provider ?? CloudName(host: request.hostName) ?? CloudName(authorizationOf: request)
      ?? CloudName(signatureParametersOf: request)
    guard let name else { throw CloudName.unknownHostError(request.hostName) }
    return name.cloud
  }
}

extension CloudName {
  fileprivate init?(authorizationOf request: HTTPRequest) {
    guard let authorization = request.headerFields[.authorization] else { return nil }
    self.init { authorization.hasBytePrefix($0.storageService.authorizationPrefix) }
  }

  fileprivate init?(signatureParametersOf request: HTTPRequest) {
    let parameters = (request.path ?? "").bytes(after: "?").words(between: "&")
    let names = parameters.map { $0.bytes(before: "=") }
    self.init { cloud in
      cloud.storageService.signatureParameters.contains { signatureName in names.contains { $0 == signatureName } }
    }
  }
}

extension HTTPRequest {
  /// Parses a curl command line, or a JSON object with `method`, `url` and `headers` (an object or an array of pairs).
  init(curlOrJSON text: String) throws {
    let isJSON = text.unicodeScalars.first { !$0.properties.isWhitespace } == "{"
    if isJSON { try self.init(json: text) } else { try self.init(curl: text) }
  }

  private init(curl text: String) throws {
    guard let line = try? CurlLine(text) else {
      throw ValidationError("The curl command line has an unclosed quote: close it, or pass the request as JSON.")
    }
    try self.init(method: line.method, url: line.url, headers: line.headers)
  }

  private init(json text: String) throws {
    guard let object = (try? JSONValue(parsing: Array(text.utf8)))?.object else {
      throw ValidationError("The request is not a valid JSON object.")
    }
    var headers = try (object["headers"]?.array ?? []).map { pair in try Self.header(pair[0]?.string, pair[1]) }
    headers += try (object["headers"]?.object ?? [:]).map { name, value in try Self.header(name, value) }
    try self.init(method: object["method"]?.string, url: object["url"]?.string, headers: headers)
  }

  private static func header(_ name: String?, _ value: JSONValue?) throws -> String {
    // The code of a value is its string, or the digits of its number.
    guard let name, let value = value?.code else {
      throw ValidationError("A header of the request has no name, or no value that is a string or a number.")
    }
    return "\(name): \(value)"
  }

  init(method: String?, url: String?, headers: [String]) throws {
    let method = try Method(argument: method)
    guard let url, let separator = url.firstRange(of: "://") else {
      throw ValidationError(
        "The URL needs a scheme and a host, such as https://photos.oss-cn-hangzhou.aliyuncs.com/cat.jpg.")
    }
    let afterScheme = url[separator.upperBound...]
    let hostEnd = afterScheme.utf8.firstIndex { "/?".utf8.contains($0) } ?? afterScheme.endIndex
    let authority = afterScheme[..<hostEnd]
    guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")) else {
      throw ValidationError("The URL needs a host, and no user or password before it.")
    }
    var path = String(afterScheme[hostEnd...])
    if !path.hasBytePrefix("/") { path = "/" + path }
    self.init(method: method, scheme: String(url[..<separator.lowerBound]), authority: String(authority), path: path)
    try add(headers)
  }

  /// Adds headers of the form `Name: value`; `Host` replaces the authority.
  mutating func add(_ headers: [String]) throws {
    for header in headers {
      let parts = header.parts(between: ":", maxSplits: 1)
      guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
        throw ValidationError("\"\(parts[0])\" is not a header as 'Name: value'.")
      }
      let value = String(parts[1].droppingBlanks)
      guard HTTPField.isValidValue(value) else {
        throw ValidationError("The value of \(name.rawName) contains a line break or a control character.")
      }
      if name.canonicalName == "host" {
        authority = value
      } else {
        headerFields.append(HTTPField(name: name, value: value))
      }
    }
  }
}

extension HTTPRequest.Method {
  /// Creates a method, which must be in capital letters because the services compare it byte by byte.
  init(argument: String?) throws {
    guard let argument, let method = Self(argument) else {
      throw ValidationError("The method is not valid in HTTP; use one such as GET.")
    }
    let capitals = argument.uppercased()
    guard argument.utf8.elementsEqual(capitals.utf8) else {
      throw ValidationError(
        "Methods are case-sensitive, and \(argument) is none that a service knows: write \(capitals).")
    }
    self = method
  }
}
