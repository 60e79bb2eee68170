// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A generator of samples for the signers of object stores, from seeds.
///
/// The samples contain object keys, parameters and headers that implementations have signed incorrectly before.
///
/// ```swift
/// let samples = try SampleMaker(endpoint: endpoint, bucket: "photos", headers: ["content-type"]).samples(count: 100)
/// ```
public struct SampleMaker: Sendable {
  /// The endpoint of the requests.
  public let endpoint: ServiceEndpoint

  /// The bucket of the requests.
  public let bucket: String

  /// Names of query parameters that requests of this service can have.
  public let parameters: [String]

  /// Lowercase names of headers that requests of this service can have.
  public let headers: [String]

  /// Creates a generator of samples.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of the requests.
  ///   - bucket: The bucket of the requests.
  ///   - parameters: Names of query parameters; each request has up to three of them.
  ///   - headers: Lowercase names of headers; each request has up to five of them.
  public init(endpoint: ServiceEndpoint, bucket: String, parameters: [String] = [], headers: [String] = []) {
    self.endpoint = endpoint
    self.bucket = bucket
    self.parameters = parameters
    self.headers = headers
  }

  /// Returns the sample of a seed.
  ///
  /// Half of the access keys are temporary. Object keys contain repeated slashes, dots, characters that are special in
  /// URLs, control characters and non-ASCII characters.
  ///
  /// - Parameter seed: The seed; with the properties of the generator it determines the sample.
  /// - Throws: A `SigningError` if the bucket name is not valid.
  public func sample(seed: UInt64) throws(SigningError) -> SigningSample<AccessKey> {
    var random = SeededGenerator(seed: seed)
    let name = random.objectKey()
    let parameters = random.parameters(parameters)
    let method = random.pick([HTTPRequest.Method.get, .put, .post, .delete, .head])
    let request = try endpoint.request(
      method, bucket: bucket, key: name, parameters: parameters, headers: random.headers(headers))
    let token = random.once(in: 2) ? random.text(length: 40, of: SeededGenerator.tokenCharacters) : nil
    let id = "AKID" + random.text(length: 16, of: SeededGenerator.idCharacters)
    let secret = random.text(length: 1 + Int(random.next() % 90), of: SeededGenerator.idCharacters)
    return SigningSample(
      "seed \(seed)", request: request, key: AccessKey(id: id, secret: secret, sessionToken: token),
      date: Timestamp(unixSeconds: 1_000_000_000 + Int64(random.next() % 3_000_000_000)),
      target: RequestTarget(bucket: bucket, key: name, parameters: parameters))
  }

  /// Returns the samples of consecutive seeds, starting at 0.
  ///
  /// - Parameter count: The number of samples.
  /// - Throws: A `SigningError` if the bucket name is not valid.
  public func samples(count: Int) throws(SigningError) -> [SigningSample<AccessKey>] {
    try samples(seeds: (0..<max(count, 0)).map { UInt64($0) })
  }

  /// Returns the samples of the given seeds.
  ///
  /// - Parameter seeds: The seeds.
  /// - Throws: A `SigningError` if the bucket name is not valid.
  public func samples(seeds: [UInt64]) throws(SigningError) -> [SigningSample<AccessKey>] {
    var samples: [SigningSample<AccessKey>] = []
    for seed in seeds { samples.append(try sample(seed: seed)) }
    return samples
  }
}
