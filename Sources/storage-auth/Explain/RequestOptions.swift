internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth

/// A signed request on the command line, and what its signature leaves open.
struct RequestOptions: ParsableArguments {
  @Argument(help: "The method, such as GET.")
  var method: String?

  @Argument(help: "The URL, encoded as it was sent.")
  var url: String?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp(
      "A header that was sent, as 'Name: value', the Authorization too; repeatable.", valueName: "name: value"))
  var headers: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file with the request instead: a line for curl, or an object of JSON with method, url, headers.",
      valueName: "file"))
  var request: String?

  @Option(help: "oss or cos; found out from the host if not given.")
  var provider: ProviderName?

  @Option(help: "The region of the bucket, for OSS V4; found out from the host if not given.")
  var region: String?

  @Option(help: "The bucket, for a custom domain.")
  var bucket: String?

  func validate() throws {
    guard (request == nil) != (url == nil) else { throw ValidationError("Give a METHOD and a URL, or --request.") }
    if request == nil { _ = try provider(of: sent()) }
  }

  /// The request as it was sent.
  func sent() throws -> HTTPRequest {
    guard let request else { return try HTTPRequest(method: method, url: url, headers: headers) }
    return try RequestText.request(InputFile(request).text())
  }

  /// The cloud that a request is for.
  func provider(of request: HTTPRequest) throws -> ProviderName {
    let host = String((request.authority ?? "").prefix { $0 != ":" })
    if let found = provider ?? ProviderName(host: host) { return found }
    if request.headerFields[.authorization]?.hasPrefix("OSS") ?? false { return .oss }
    if request.headerFields[.authorization]?.hasPrefix("q-sign-") ?? false { return .cos }
    throw ValidationError("The host \(host) does not tell the cloud: add --provider oss or --provider cos.")
  }

  /// The region that is known otherwise than from the signature.
  func region(of request: HTTPRequest, _ provider: ProviderName) -> String? {
    region ?? provider.region(ofHost: String((request.authority ?? "").prefix { $0 != ":" }))
  }
}
