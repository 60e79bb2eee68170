// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A maker of signing samples for object stores, each of which depends only on a seed and the maker's properties.
///
/// The samples have object keys, parameters and headers that some implementations have signed incorrectly before.
///
/// ```swift
/// let samples = try SampleMaker(
///   endpoint: endpoint, bucket: "photos", headers: ["content-type", "x-acme-meta-a"]
/// ).samples(count: 100)
/// ```
public struct SampleMaker: Sendable {
  /// The endpoint of the requests.
  public let endpoint: ServiceEndpoint
  /// The bucket of the requests.
  public let bucket: String
  /// The names of query parameters, of which each request has up to three.
  public let parameters: [String]
  /// The lowercase names of headers, of which each request has up to five.
  public let headers: [String]

  /// Creates a maker of signing samples; the parameters are the properties.
  public init(endpoint: ServiceEndpoint, bucket: String, parameters: [String] = [], headers: [String] = []) {
    self.endpoint = endpoint
    self.bucket = bucket
    self.parameters = parameters
    self.headers = headers
  }

  /// Makes the sample of a seed.
  ///
  /// Half of the access keys are temporary. Object keys contain `//`, dots, special, control and non-ASCII characters.
  ///
  /// - Throws: A `SigningError` if the bucket name is invalid.
  public func sample(seed: UInt64) throws(SigningError) -> SigningSample<AccessKey> {
    var random = SeededGenerator(seed: seed)
    let objectKey = random.makeObjectKey()
    let requestParameters = random.makeParameters(named: parameters)
    let method = random.pick([HTTPRequest.Method.get, .put, .post, .delete, .head])
    let requestHeaders = random.makeHeaders(named: headers)
    let request = try endpoint.request(
      method, bucket: bucket, key: objectKey, parameters: requestParameters, headers: requestHeaders)
    let token = random.once(in: 2) ? random.makeText(length: 40, of: SeededGenerator.tokenCharacters) : nil
    let id = "AKID" + random.makeText(length: 16, of: SeededGenerator.idCharacters)
    // HMAC hashes a key that is longer than the block of the hash function, 64 bytes with SHA-1 and SHA-256.
    let secret = random.makeText(length: 1 + Int(random.next() % 90), of: SeededGenerator.idCharacters)
    return SigningSample(
      "seed \(seed)", request: request, key: AccessKey(id: id, secret: secret, sessionToken: token),
      // From 2001 to 2096.
      date: Timestamp(unixSeconds: 1_000_000_000 + Int64(random.next() % 3_000_000_000)),
      target: RequestTarget(bucket: bucket, key: objectKey, parameters: requestParameters))
  }

  /// Makes the given number of samples, of consecutive seeds that start at 0.
  ///
  /// - Throws: A `SigningError` if the bucket name is invalid.
  public func samples(count: Int) throws(SigningError) -> [SigningSample<AccessKey>] {
    try samples(seeds: (0..<max(count, 0)).map { UInt64($0) })
  }

  /// Makes the samples of the given seeds.
  ///
  /// - Throws: A `SigningError` if the bucket name is invalid.
  public func samples(seeds: [UInt64]) throws(SigningError) -> [SigningSample<AccessKey>] {
    try seeds.map { seed throws(SigningError) in try sample(seed: seed) }
  }
}
