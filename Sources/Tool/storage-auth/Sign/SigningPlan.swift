// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth

/// The request that `sign` and `presign` sign, with the signer of its cloud.
struct SigningPlan {
  let cloud: any Cloud
  let request: HTTPRequest
  let signer: any TwoStepSigner<AccessKey> & Presigner<AccessKey>

  /// Creates a plan from the arguments.
  ///
  /// - Throws: A `ValidationError` if an argument is missing, malformed, or contradicts another one.
  init(_ options: SigningOptions) throws {
    var (method, url) = (options.method, options.url)
    if url == nil, let only = method, only.contains("://") { (method, url) = ("GET", only) }
    guard let url else { throw ValidationError("Pass a METHOD and a URL, or --jsonl.") }
    switch try? Location(url) {
    case .object(let name, let bucket, let key): try self.init(options, method, name, bucket: bucket, key: key)
    case .node, .account: throw ValidationError("Aspera has neither signed nor presigned requests for objects.")
    case .file, nil: try self.init(options, method, url)
    }
  }

  private init(_ options: SigningOptions, _ method: String?, _ url: String) throws {
    guard options.endpoint == nil else {
      throw ValidationError("--endpoint is for a location, as of cp; a URL contains the host itself.")
    }
    request = try HTTPRequest(method: method, url: url, headers: options.headers)
    guard let name = options.provider ?? CloudName(host: request.hostName) else {
      throw CloudName.unknown(host: request.hostName)
    }
    cloud = name.cloud
    signer = try cloud.signer(
      region: options.region ?? cloud.region(ofHost: request.hostName),
      options.addressing.address(of: request, in: cloud), options)
  }

  private init(
    _ options: SigningOptions, _ method: String?, _ name: CloudName, bucket: String, key: String
  ) throws {
    guard options.provider.map({ $0 == name }) ?? true, options.addressing.bucket.map({ $0 == bucket }) ?? true else {
      throw ValidationError("--provider and --bucket contradict \(name)://\(bucket); omit them.")
    }
    cloud = name.cloud
    let place = try cloud.place(region: options.region, endpoint: options.endpoint)
    let endpoint = try cloud.endpoint(of: bucket, at: place, style: options.addressing.style?.style)
    var request = try endpoint.request(
      HTTPRequest.Method(argument: method), bucket: bucket, key: key.isEmpty ? nil : key)
    try request.add(options.headers)
    self.request = request
    signer = try cloud.signer(region: place.region, BucketAddress(bucket: bucket, style: endpoint.style), options)
  }
}
