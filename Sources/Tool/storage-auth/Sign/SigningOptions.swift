// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

/// The arguments and options that `sign` and `presign` share.
struct SigningOptions: ParsableArguments {
  @Argument(help: "The method in capital letters; GET by default.") var method: String?
  @Argument(help: "The URL, percent-encoded as it will be sent; or oss://bucket/key, not encoded.") var url: String?

  @Option(help: .text("The URL of the service of oss://bucket/key, such as http://127.0.0.1:9000.", value: "url"))
  var endpoint: String?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: .text("A header of the request, as 'Name: value'; repeatable.", value: "name: value"))
  var headers: [String] = []

  @Option(help: "\(CloudName.alternatives); by default the one to which the host belongs.") var provider: CloudName?
  @Option(help: "The region, for OSS V4 and S3; derived from the host by default.") var region: String?
  @OptionGroup var addressing: AddressingOptions
  @Option(help: "The version of the OSS signature: v4 or v1.") var signature: SignatureVersionArgument = .v4
  @Flag(help: "Sign OSS V1 URLs for keys with a question mark, although they permit more.") var allowAmbiguousV1 = false
  @Option(help: "The time of signing, in seconds since 1970 or as 2026-11-20T08:00:00Z.") var date: TimestampArgument?
  @OptionGroup(title: "Keys and network") var credentials: CredentialOptions
  @Flag(help: "Print the canonical request and the string to sign to standard error.") var explain = false
  @Flag(help: "Sign requests in lines of JSON from standard input.") var jsonl = false

  func validate() throws {
    guard jsonl else {
      _ = try SigningPlan(self)
      return
    }
    guard method == nil else {
      throw ValidationError("--jsonl reads requests from standard input: omit METHOD and URL.")
    }
    if let option = singleRequestOption { throw Self.errorForLines(option) }
  }

  /// The first given option that `--jsonl` cannot use; settings can set the region and the version for all commands.
  private var singleRequestOption: String? {
    let options: [(name: String, isGiven: Bool)] = [
      ("--header", !headers.isEmpty), ("--endpoint", endpoint != nil), ("--provider", provider != nil),
      ("--bucket", addressing.bucket != nil), ("--style", addressing.style != nil), ("--date", date != nil),
      ("--allow-ambiguous-v1", allowAmbiguousV1), ("--explain", explain),
    ]
    return options.first(where: \.isGiven)?.name
  }

  static func errorForLines(_ option: String) -> ValidationError {
    ValidationError("\(option) is not for --jsonl, whose lines describe the requests: omit it.")
  }

  var context: SigningContext { SigningContext(date: date?.timestamp ?? .now) }

  func plan() async throws -> (SigningPlan, AccessKey) {
    let plan = try SigningPlan(self)
    return (plan, try await credentials.cache(for: plan.cloud).credential())
  }

  /// Prints the signed strings, with the session token masked, if `--explain` is set.
  func printExplanation(of pending: PendingSignature) {
    guard explain, !Terminal.mode.isJSON else { return }
    let mask = SecretMask([pending.identity.sessionToken].compactMap(\.self))
    Terminal.printSignedStrings(
      canonicalRequest: pending.canonicalRequest.map { mask.applied(to: $0) },
      stringToSign: mask.applied(to: pending.stringToSign))
  }
}

enum SignatureVersionArgument: String, ExpressibleByArgument, CaseIterable {
  case v4, v1

  var version: OSSSignatureVersion { self == .v4 ? .v4 : .v1 }
}

/// A point in time, as seconds since 1970 (UTC) or in ISO 8601.
struct TimestampArgument: ExpressibleByArgument {
  let timestamp: Timestamp

  init?(argument: String) {
    let seconds = Int64(digits: argument)
    guard let timestamp = seconds.map({ Timestamp(unixSeconds: $0) }) ?? Timestamp(iso8601: argument)
    else { return nil }
    self.timestamp = timestamp
  }
}

/// A duration: seconds, or a number with the unit `s`, `m`, `h` or `d`.
struct DurationArgument: ExpressibleByArgument, CustomStringConvertible {
  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
  let seconds: Int64

  init(seconds: Int64) { self.seconds = seconds }

  init?(argument: String) {
    let unit = argument.last.flatMap { Self.units[$0] }
    guard let number = Int64(digits: String(unit == nil ? argument[...] : argument.dropLast())) else { return nil }
    let (seconds, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isTooLarge else { return nil }
    self.init(seconds: seconds)
  }

  var description: String { "\(seconds)" }
}

/// The request that `sign` and `presign` sign, with the signer of its cloud.
struct SigningPlan {
  let cloud: any Cloud
  let request: HTTPRequest
  let signer: CloudSigner

  init(_ options: SigningOptions) throws {
    var (method, url) = (options.method, options.url)
    // A single argument is the URL of a GET request.
    if url == nil, let argument = method, argument.contains("://") { (method, url) = ("GET", argument) }
    guard let url else { throw ValidationError("Pass a METHOD and a URL, or --jsonl.") }
    switch try? Location(url) {
    case .object(let name, let bucket, let key):
      try self.init(method: method, cloud: name, bucket: bucket, key: key, options)
    case .node, .account: throw ValidationError("Aspera has neither signed nor presigned requests for objects.")
    case .file, .standardStream, nil: try self.init(method: method, url: url, options)
    }
  }

  private init(method: String?, url: String, _ options: SigningOptions) throws {
    guard options.endpoint == nil else {
      throw ValidationError("--endpoint is for a location, as of cp; a URL contains the host itself.")
    }
    request = try HTTPRequest(method: method, url: url, headers: options.headers)
    guard let name = options.provider ?? CloudName(host: request.hostName) else {
      throw CloudName.unknownHostError(request.hostName)
    }
    cloud = name.cloud
    signer = try cloud.signer(
      region: options.region ?? cloud.region(ofHost: request.hostName),
      options.addressing.address(of: request, in: cloud), options)
  }

  private init(method: String?, cloud name: CloudName, bucket: String, key: String, _ options: SigningOptions) throws {
    guard options.provider.map({ $0 == name }) ?? true, options.addressing.bucket.map({ $0 == bucket }) ?? true else {
      throw ValidationError("--provider and --bucket contradict \(name)://\(bucket); omit them.")
    }
    cloud = name.cloud
    let service = try cloud.location(region: options.region, endpoint: options.endpoint)
    let endpoint = try cloud.provider(
      of: bucket, at: service, style: options.addressing.style?.style, options.signature
    ).endpoint
    var request = try endpoint.request(
      HTTPRequest.Method(argument: method), bucket: bucket, key: key.isEmpty ? nil : key)
    try request.add(options.headers)
    self.request = request
    signer = try cloud.signer(region: service.region, BucketAddress(bucket: bucket, style: endpoint.style), options)
  }
}
