// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth

/// The arguments that describe a signed request, and the options for facts that its signature does not contain.
struct RequestOptions: ParsableArguments {
  @Argument(help: "The method, such as GET.")
  var method: String?

  @Argument(help: "The URL, percent-encoded as it was sent.")
  var url: String?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp(
      "A header that was sent, as 'Name: value', including the Authorization; repeatable.", valueName: "name: value"))
  var headers: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file with the request instead: a curl command line, or a JSON object with method, url, headers.",
      valueName: "file"))
  var request: String?

  @Option(help: "\(CloudName.alternatives); by default the one to which the host belongs.")
  var provider: CloudName?

  @Option(help: "The region of the bucket, for OSS V4 and S3; derived from the host by default.")
  var region: String?

  @OptionGroup var addressing: AddressingOptions

  func validate() throws {
    guard (request == nil) != (url == nil) else { throw ValidationError("Pass a METHOD and a URL, or --request.") }
    guard request == nil else { return }
    let request = try sent()
    _ = try addressing.address(of: request, in: cloud(of: request))
  }

  /// Returns the request that the arguments or the file in `--request` describe, as it was sent.
  func sent() throws -> HTTPRequest {
    guard let request else { return try HTTPRequest(method: method, url: url, headers: headers) }
    return try RequestText.request(InputFile(request).text())
  }

  /// Returns the cloud to which a request was sent.
  func cloud(of request: HTTPRequest) throws -> any Cloud {
    if let found = provider ?? CloudName(host: request.hostName) { return found.cloud }
    if let found = request.headerFields[.authorization].flatMap(CloudName.init(authorization:)) { return found.cloud }
    let names = (request.path ?? "").bytes(from: "?").dropFirst().words(between: "&").map { $0.bytes(before: "=") }
    if let found = CloudName.all.first(where: { name in
      name.cloud.description.signatureParameters.contains { mark in names.contains { $0 == mark } }
    }) {
      return found.cloud
    }
    throw CloudName.unknown(host: request.hostName)
  }
}
