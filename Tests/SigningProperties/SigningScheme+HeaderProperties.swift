package import HTTPTypes
package import StorageAuth

extension SigningScheme {
  /// What is signed verifies, and is about what it was made for.
  package func headerSignatureVerifies(_ sample: Sample) throws {
    let signed = try signer.signed(sample.request, with: sample.key, in: .at(sample.date))
    let proof = try verify(signed, against: sample.key, at: sample.date)
    try require(proof.accessKeyID == sample.key.id, "the id is another one")
    try require(proof.placement == .header, "the placement is not the header")
    try require(proof.target.isByteEqual(to: sample.target), "the target is \(proof.target), not \(sample.target)")
  }

  /// Signing changes nothing that it was given, and the path least of all.
  package func headerSignatureLeavesTheRest(_ sample: Sample) throws {
    let signed = try signer.signed(sample.request, with: sample.key, in: .at(sample.date))
    try require(signed.path.map { Array($0.utf8) } == sample.request.path.map { Array($0.utf8) }, "the path changed")
    try require(signed.method == sample.request.method, "the method changed")
    try require(signed.scheme == sample.request.scheme, "the scheme changed")
    try require(signed.authority == sample.request.authority, "the host changed")
    let kept = signed.headerFields.prefix(sample.request.headerFields.count)
    try require(Array(kept) == Array(sample.request.headerFields), "a header changed")
  }

  /// The order in which headers are given does not matter.
  package func headerOrderDoesNotMatter(_ sample: Sample, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var shuffled = sample.request
    shuffled.headerFields = HTTPFields(sample.request.headerFields.shuffled(using: &random))
    let signed = try signer.signed(sample.request, with: sample.key, in: .at(sample.date))
    var other = try signer.signed(shuffled, with: sample.key, in: .at(sample.date))
    try require(other.headerFields[.authorization] == signed.headerFields[.authorization], "the signature changed")
    other.headerFields = HTTPFields(other.headerFields.shuffled(using: &random))
    _ = try verify(other, against: sample.key, at: sample.date)
  }

  /// Signing a signed request is the same as signing it for the first time.
  package func resigningReplaces(_ sample: Sample, seed: UInt64) throws {
    let other = try self.sample(seed: ~seed)
    let first = try signer.signed(sample.request, with: other.key, in: .at(other.date))
    let again = try signer.signed(first, with: sample.key, in: .at(sample.date))
    let fresh = try signer.signed(sample.request, with: sample.key, in: .at(sample.date))
    try require(again.sorted == fresh.sorted, "signing again gives \(again.names), signing once \(fresh.names)")
    _ = try verify(again, against: sample.key, at: sample.date)
  }

  /// The two halves with a server between them give what signing in one go gives.
  package func splitSignatureIsTheSame(_ sample: Sample, secret: String) throws {
    let pending = try signer.prepare(sample.request, as: sample.key.identity, in: .at(sample.date))
    let finished = try signer.finish(pending, signature: remoteSignature(pending, secret))
    let signed = try signer.signed(sample.request, with: sample.key, in: .at(sample.date))
    try require(finished == signed, "the two halves give another request")
  }

  /// Whatever is thrown, the request is as it was.
  package func throwLeavesTheRequest(
    _ request: HTTPRequest, with key: AccessKey, at date: Timestamp
  ) throws -> SigningError {
    var copy = request
    do throws(SigningError) {
      try signer.sign(&copy, with: key, in: .at(date))
    } catch {
      try require(copy == request, "the request changed although \(error.code) was thrown")
      return error
    }
    throw Violation("nothing was thrown")
  }
}

extension HTTPRequest {
  /// The fields in an order that does not depend on how they were added.
  fileprivate var sorted: [String] {
    headerFields.map { "\($0.name.canonicalName):\($0.value)" }.sorted()
  }

  fileprivate var names: [String] {
    headerFields.map(\.name.canonicalName).sorted()
  }
}

extension RequestTarget {
  /// Whether two targets are the same byte for byte; strings are equal where they only look the same.
  package func isByteEqual(to other: RequestTarget) -> Bool {
    func bytes(_ target: RequestTarget) -> [[UInt8]?] {
      [target.bucket, target.key].map { $0.map { Array($0.utf8) } }
        + target.parameters.flatMap { [Array($0.name.utf8), $0.value.map { Array($0.utf8) }] }
    }
    return bytes(self) == bytes(other)
  }
}
