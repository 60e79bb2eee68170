// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A generator that creates samples for the signers of object stores from seeds.
///
/// The samples contain object keys, parameters and headers that some implementations have signed incorrectly before.
///
/// ```swift
/// let samples = try SampleMaker(
///   endpoint: endpoint, bucket: "photos", headers: ["content-type", "x-acme-meta-a"]
/// ).samples(count: 100)
/// ```
public struct SampleMaker: Sendable {
  /// The endpoint of the generated requests.
  public let endpoint: ServiceEndpoint
  /// The bucket of the generated requests.
  public let bucket: String
  /// The names of query parameters, of which each request has up to three.
  public let parameters: [String]
  /// The lowercase names of headers, of which each request has up to five.
  public let headers: [String]

  /// Creates a generator of signing samples; the parameters are the properties.
  public init(endpoint: ServiceEndpoint, bucket: String, parameters: [String] = [], headers: [String] = []) {
    self.endpoint = endpoint
    self.bucket = bucket
    self.parameters = parameters
    self.headers = headers
  }

  /// Returns the sample that is generated from a seed.
  ///
  /// Half of the access keys are temporary. Object keys contain `//`, dots, special, control and non-ASCII characters.
  ///
  /// - Parameter seed: The seed, which determines the sample together with the properties of the generator.
  /// - Throws: A `SigningError` if the bucket name is invalid.
  public func sample(seed: UInt64) throws(SigningError) -> SigningSample<AccessKey> {
    var random = SeededGenerator(seed: seed)
    let objectKey = random.objectKey()
    let parameters = random.parameters(parameters)
    let method = random.pick([HTTPRequest.Method.get, .put, .post, .delete, .head])
    let request = try endpoint.request(
      method, bucket: bucket, key: objectKey, parameters: parameters, headers: random.headers(headers))
    let token = random.once(in: 2) ? random.text(length: 40, of: SeededGenerator.tokenCharacters) : nil
    let id = "AKID" + random.text(length: 16, of: SeededGenerator.idCharacters)
    let secret = random.text(length: 1 + Int(random.next() % 90), of: SeededGenerator.idCharacters)
    return SigningSample(
      "seed \(seed)", request: request, key: AccessKey(id: id, secret: secret, sessionToken: token),
      date: Timestamp(unixSeconds: 1_000_000_000 + Int64(random.next() % 3_000_000_000)),
      target: RequestTarget(bucket: bucket, key: objectKey, parameters: parameters))
  }

  /// Returns the samples that are generated from consecutive seeds, starting at 0.
  ///
  /// - Parameter count: The number of samples.
  /// - Throws: A `SigningError` if the bucket name is invalid.
  public func samples(count: Int) throws(SigningError) -> [SigningSample<AccessKey>] {
    try samples(seeds: (0..<max(count, 0)).map { UInt64($0) })
  }

  /// Returns the samples that are generated from the given seeds.
  ///
  /// - Parameter seeds: The seeds, each of which determines one sample.
  /// - Throws: A `SigningError` if the bucket name is invalid.
  public func samples(seeds: [UInt64]) throws(SigningError) -> [SigningSample<AccessKey>] {
    try seeds.map { seed throws(SigningError) in try sample(seed: seed) }
  }
}
