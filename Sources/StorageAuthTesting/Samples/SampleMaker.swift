internal import HTTPTypes
public import StorageAuth

/// Makes samples for the signers of object stores: keys, parameters and headers that somebody got wrong once, by seeds.
///
/// ```swift
/// let samples = try SampleMaker(endpoint: endpoint, bucket: "photos", headers: ["content-type"]).samples(count: 100)
/// ```
public struct SampleMaker: Sendable {
  /// Where the requests go.
  public let endpoint: ServiceEndpoint

  /// The bucket that they are about.
  public let bucket: String

  /// Names of query parameters that requests of this service can carry.
  public let parameters: [String]

  /// Names of headers, in lower case, that requests of this service can carry.
  public let headers: [String]

  /// Sets up a maker of samples.
  ///
  /// - Parameters:
  ///   - endpoint: Where the requests go.
  ///   - bucket: The bucket that they are about.
  ///   - parameters: Names of query parameters; each request carries some.
  ///   - headers: Names of headers in lower case; each request carries some.
  public init(endpoint: ServiceEndpoint, bucket: String, parameters: [String] = [], headers: [String] = []) {
    self.endpoint = endpoint
    self.bucket = bucket
    self.parameters = parameters
    self.headers = headers
  }

  /// A sample that depends on the seed alone.
  ///
  /// Half of the keys are temporary ones. Object keys hold doubled slashes, dots, signs that are special in URLs,
  /// control characters and text beyond ASCII.
  ///
  /// - Throws: A `SigningError` if the bucket is not one.
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

  /// The samples of the seeds from 0 on.
  ///
  /// - Throws: A `SigningError` if the bucket is not one.
  public func samples(count: Int) throws(SigningError) -> [SigningSample<AccessKey>] {
    try samples(seeds: (0..<max(count, 0)).map { UInt64($0) })
  }

  /// The samples of some seeds.
  ///
  /// - Throws: A `SigningError` if the bucket is not one.
  public func samples(seeds: [UInt64]) throws(SigningError) -> [SigningSample<AccessKey>] {
    var samples: [SigningSample<AccessKey>] = []
    for seed in seeds { samples.append(try sample(seed: seed)) }
    return samples
  }
}
