package import HTTPTypes
internal import StorageAuth

extension SigningScheme {
  /// A presigned URL verifies until it ends, and is about what it was made for.
  package func urlVerifies(_ sample: Sample, lifetime: Int64) throws {
    let signed = try signer.presign(
      sample.request, with: sample.key, validFor: .seconds(lifetime), in: .at(sample.date))
    try require(
      signed.expiration == sample.date.advanced(by: .seconds(lifetime)), "the URL ends at \(signed.expiration)")
    let request = try signed.request()
    for date in [sample.date, signed.expiration] {
      let proof = try verify(request, against: sample.key, at: date)
      try require(proof.placement == .query, "the placement is not the query")
      try require(proof.expiration == signed.expiration, "the proof ends at another time")
      try require(proof.target.bucket == sample.target.bucket, "the bucket is \(proof.target.bucket ?? "none")")
      let key = proof.target.key.map { Array($0.utf8) }
      try require(key == sample.target.key.map { Array($0.utf8) }, "the key is \(proof.target.key ?? "none")")
      let kept = proof.target.parameters.prefix(sample.target.parameters.count)
      try require(Array(kept) == sample.target.parameters, "the parameters changed")
    }
    do throws(VerificationError) {
      _ = try verify(request, against: sample.key, at: signed.expiration.advanced(by: .seconds(1)))
    } catch {
      return try require(error.code == .expired, "the URL is refused as \(error.code) after its end")
    }
    throw Violation("the URL works after its end")
  }

  /// The URL is the request's own with more behind it, and holds nothing that a server reads in two ways.
  package func urlIsOnlyAppendedTo(_ sample: Sample) throws {
    let url = try signer.presign(
      sample.request, with: sample.key, validFor: .seconds(60), in: .at(sample.date)
    ).url
    let path = sample.request.path ?? ""
    let original = "\(sample.request.scheme ?? "")://\(sample.request.authority ?? "")\(path)"
    try require(Array(url.utf8).starts(with: original.utf8), "the URL does not start with the request's own")
    let rest = url.dropFirst(original.count)
    try require(rest.first == (path.contains("?") ? "&" : "?"), "the URL goes on with \(rest.prefix(1))")
    try require(!url.utf8.contains(UInt8(ascii: "+")), "there is a bare + in the URL")
    try require(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }, "a byte may not travel")
    try require(url.utf8.count { $0 == UInt8(ascii: "?") } == 1, "there is more than one ?")
  }

  /// The URL's user has to send exactly the headers that are listed; leaving one out, or another value, is refused.
  package func urlHeadersAreNeeded(_ sample: Sample) throws {
    let signed = try signer.presign(
      sample.request, with: sample.key, validFor: .seconds(60), in: .at(sample.date))
    for index in signed.headers.indices {
      var request = try signed.request()
      var fields = Array(signed.headers)
      fields.remove(at: index)
      request.headerFields = HTTPFields(fields)
      try requireRefusal(request, sample, "without \(signed.headers[index].name)")
      request.headerFields = signed.headers
      request.headerFields[index].value += "x"
      try requireRefusal(request, sample, "with another \(signed.headers[index].name)")
    }
  }

  /// The two halves with a server between them give the URL that presigning in one go gives.
  package func splitURLIsTheSame(_ sample: Sample, secret: String) throws {
    let pending = try signer.prepare(
      presigning: sample.request, as: sample.key.identity, validFor: .seconds(60), in: .at(sample.date))
    let finished = try signer.finish(pending, signature: remoteSignature(pending, secret))
    let signed = try signer.presign(
      sample.request, with: sample.key, validFor: .seconds(60), in: .at(sample.date))
    let url = "\(finished.scheme ?? "")://\(finished.authority ?? "")\(finished.path ?? "")"
    try require(url == signed.url, "the two halves give another URL")
    try require(pending.expiration == signed.expiration, "the two halves end at another time")
  }

  /// Throws unless a request is refused.
  func requireRefusal(_ request: HTTPRequest, _ sample: Sample, _ what: String) throws {
    do throws(VerificationError) {
      _ = try verify(request, against: sample.key, at: sample.date)
    } catch {
      return
    }
    throw Violation("accepted \(what): \(request.method) \(request.path ?? "")")
  }
}

extension PresignedRequest {
  /// The request that the URL's user sends.
  package func request() throws -> HTTPRequest {
    let parts = url.split(separator: "://", maxSplits: 1)
    guard parts.count == 2, let slash = parts[1].firstIndex(of: "/") else { throw Violation("\(url) is no URL") }
    return HTTPRequest(
      method: method, scheme: String(parts[0]), authority: String(parts[1][..<slash]), path: String(parts[1][slash...]),
      headerFields: headers)
  }
}
