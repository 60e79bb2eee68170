// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting
import StorageCrypto
import StorageDiagnosis

@testable import StorageAuthServer

/// Readers of verifiers, a signing service and a diagnosis.
extension Reader {
  static let signatures = [
    ossRequests, cosRequests, s3Requests, s3Chunks, s3CanonicalRequests, acceptedRequests, targets, signingOrders,
    ossCanonicalRequests, cosCanonicalRequests,
    ossV1Strings, refusedAnswers,
  ]

  private static let ossRequests = Reader(name: "oss-requests") { input, _ in
    let verifiers = [
      OSSVerifier(region: "cn-hangzhou"), OSSVerifier(bucket: "photos"),
      OSSVerifier(style: .path).acceptingPayloadHashes,
    ]
    return try await check(input, verifiers)
  }

  private static let cosRequests = Reader(name: "cos-requests") { input, _ in
    try await check(input, [COSVerifier()])
  }

  private static let s3Requests = Reader(name: "s3-requests") { input, _ in
    try await check(input, [S3Verifier(region: "eu-central-1"), S3Verifier(style: .path, bucket: "photos")])
  }

  /// Checks that a chunked body is the same however it is split, and has the stated length.
  ///
  /// The first line of the input is that length.
  private static let s3Chunks = Reader(name: "s3-chunks") { input, random in
    let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
    guard let length = Int64(String(decoding: input[..<end], as: UTF8.self)) else { return false }
    let body = Array(input[end...].dropFirst())
    var request = HTTPRequest(
      method: .put, scheme: "https", authority: "photos.s3.eu-central-1.amazonaws.com", path: "/a")
    for (name, value) in [("x-amz-decoded-content-length", "\(length)"), ("x-amz-trailer", "x-amz-checksum-crc32")] {
      if let name = HTTPField.Name(name) { request.headerFields[name] = value }
    }
    let signer = S3Signer(region: "eu-central-1", payload: .unsignedChunksWithTrailer)
    let verifier = S3Verifier(region: "eu-central-1")
    guard let signed = try? signer.signed(request, with: Samples.key, in: .at(Samples.now)),
      let claim = try? verifier.claim(in: signed),
      let verified = try? verifier.verify(claim, against: Samples.key, at: Samples.now)
    else { return false }
    func decoded(_ piece: Int) -> [UInt8]? {
      guard var decoder = verified.bodyDecoder else { return nil }
      do {
        var output: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
          output += try decoder.decode(Array(rest.prefix(piece)))
          rest = rest.dropFirst(piece)
        }
        try decoder.finish()
        return output
      } catch {
        return nil
      }
    }
    let whole = decoded(max(1, body.count))
    try require(whole == decoded(1 + random.below(16)), "splitting changes the body")
    guard let whole else { return false }
    try require(Int64(whole.count) == length, "the body has another length than the stated one")
    return true
  }

  private static let s3CanonicalRequests = Reader(name: "s3-canonical-requests") { input, _ in
    let canonical = text(input)
    let scope = "20261120/eu-central-1/s3/aws4_request"
    let string = "AWS4-HMAC-SHA256\n20261120T080000Z\n\(scope)\n\(SHA256.hash(Array(canonical.utf8)).hex)"
    let method = String(canonical.prefix { $0 != "\n" })
    return try check(
      SigningRequest(.s3V4, method: method, stringToSign: string, canonicalRequest: canonical), input)
  }

  /// Checks that the verdict depends only on the request, that no error shows a secret, and that verified data equals
  /// the request's.
  private static func check(_ input: [UInt8], _ verifiers: [some SignatureVerifier]) async throws -> Bool {
    guard let (request, _) = Samples.request(input) else { return false }
    var isVerified = false
    for verifier in verifiers {
      let verdicts = await [verdict(verifier, request), verdict(verifier, request)]
      try require(verdicts[0].text == verdicts[1].text, "the same request has two verdicts")
      try requireNoSecret(in: verdicts[0].text, of: input)
      guard let proof = verdicts[0].proof else { continue }
      isVerified = true
      let style = proof.target.bucket.map { (request.path ?? "").utf8.starts(with: "/\($0)/".utf8) } ?? false
      let target = try RequestTarget(of: request, style: style ? .path : nil, bucket: "photos")
      try require(
        target.parameters.count >= proof.target.parameters.count, "a parameter is verified but was not sent")
    }
    return isVerified
  }

  private static func verdict(
    _ verifier: some SignatureVerifier, _ request: HTTPRequest
  ) async -> (proof: VerifiedRequest?, text: String) {
    do {
      let proof = try await verifier.verify(request, at: Samples.now) { Samples.key(for: $0) }
      // The order of a set differs between instances.
      let signed = proof.signedHeaders.sorted()
      return (proof, "\(proof.accessKeyID) \(proof.target) \(proof.unsignedParameters) \(proof.usableUntil) \(signed)")
    } catch {
      return (nil, "\(error) \(String(describing: (error as? VerificationError)?.comparison))")
    }
  }

  /// Checks that a request signed by a signer is accepted by its verifier.
  private static let acceptedRequests = Reader(name: "signed-requests") { input, random in
    guard var (request, _) = Samples.request(input) else { return false }
    request.headerFields[.authorization] = nil
    let key = random.pick([Samples.key, Samples.temporaryKey])
    let context = SigningContext.at(Samples.now)
    let scheme = random.below(4)
    // At a host of another bucket, the signer's bucket and the host's bucket would differ.
    request.authority =
      [
        "photos.oss-cn-hangzhou.aliyuncs.com", "photos.oss-cn-hangzhou.aliyuncs.com",
        "photos-1250000000.cos.ap-guangzhou.myqcloud.com", "photos.s3.eu-central-1.amazonaws.com",
      ][scheme]
    var signed = request
    do throws(SigningError) {
      switch scheme {
      case 0: try OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou").sign(&signed, with: key, in: context)
      case 1: try OSSSigner(.v1, bucket: "photos", region: "cn-hangzhou").sign(&signed, with: key, in: context)
      case 2: try COSSigner().sign(&signed, with: key, in: context)
      default: try S3Signer(region: "eu-central-1").sign(&signed, with: key, in: context)
      }
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      try require(signed == request, "a request that is not signed is changed")
      return false
    }
    switch scheme {
    case 0: try await accept(signed, OSSVerifier(region: "cn-hangzhou", bucket: "photos"), key)
    case 1: try await accept(signed, OSSVerifier(bucket: "photos"), key)
    case 2: try await accept(signed, COSVerifier(), key)
    default: try await accept(signed, S3Verifier(region: "eu-central-1"), key)
    }
    return true
  }

  /// Checks that a generated signature never mismatches; the request may be rejected for its contents.
  private static func accept(
    _ request: HTTPRequest, _ verifier: some SignatureVerifier, _ key: AccessKey
  ) async throws(BrokenRule) {
    do {
      _ = try await verifier.verify(request, at: Samples.now) { _ in key }
    } catch {
      let code = (error as? VerificationError)?.code
      try require(code != .mismatch && code != nil, "a signed request is rejected: \(error)")
    }
  }

  private static let targets = Reader(name: "request-targets") { input, _ in
    guard let (request, _) = Samples.request(input) else { return false }
    var isRead = false
    for style in [AddressingStyle.path, .virtualHosted, nil] {
      guard let target = try? RequestTarget(of: request, style: style) else { continue }
      isRead = true
      try require(try RequestTarget(of: request, style: style) == target, "the same target is parsed in two ways")
      try require(target.key?.isEmpty != true, "a key is empty")
    }
    return isRead
  }

  private static let signingOrders = Reader(name: "signing-orders") { input, _ in
    guard let order = try? SigningRequest(json: input) else { return false }
    return try check(order, input)
  }

  private static let ossV1Strings = Reader(name: "oss-v1-strings") { input, _ in
    let string = text(input)
    let method = String(string.prefix { $0 != "\n" })
    return try check(SigningRequest(.ossV1, method: method, stringToSign: string), input)
  }

  private static let ossCanonicalRequests = Reader(name: "oss-canonical-requests") { input, _ in
    let canonical = text(input)
    let scope = "20261120/cn-hangzhou/oss/aliyun_v4_request"
    let string = "OSS4-HMAC-SHA256\n20261120T080000Z\n\(scope)\n\(SHA256.hash(Array(canonical.utf8)).hex)"
    let method = String(canonical.prefix { $0 != "\n" })
    return try check(
      SigningRequest(.ossV4, method: method, stringToSign: string, canonicalRequest: canonical), input)
  }

  private static let cosCanonicalRequests = Reader(name: "cos-canonical-requests") { input, _ in
    let canonical = text(input)
    let string = "sha1\n1795161540;1795165200\n\(SHA1.hash(Array(canonical.utf8)).hex)\n"
    let method = String(canonical.prefix { $0 != "\n" }).uppercased()
    return try check(
      SigningRequest(.cosV5, method: method, stringToSign: string, canonicalRequest: canonical), input)
  }

  private static func check(_ order: SigningRequest, _ input: [UInt8]) throws -> Bool {
    let rules = SigningRules(
      AccessPolicy([AccessRule(.read, .write, objects: .prefix("alice/"), in: "photos")]), lifetime: .seconds(3600))
    let signer: any StringToSignSigner =
      switch order.scheme {
      case .cosV5: COSStringToSignSigner(endpoint: try .cos(region: "ap-guangzhou"))
      case .s3V4: S3StringToSignSigner(region: "eu-central-1", endpoint: try .s3(region: "eu-central-1"))
      default: OSSStringToSignSigner(region: "cn-hangzhou")
      }
    let intents: [AuthorizedRequest]
    do throws(SigningRefusal) {
      intents = try [0, 1].map { _ throws(SigningRefusal) in
        try signer.intent(of: order)
      }
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return false
    }
    try require("\(intents[0])" == "\(intents[1])", "the same string is parsed in two ways")
    do throws(SigningRefusal) {
      _ = try signer.sign(order, with: Samples.key, under: rules, at: Samples.now)
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return true
    }
    if let key = intents[0].target.key {
      try require(key.utf8.starts(with: "alice/".utf8), "a key of another caller is signed")
    }
    return true
  }

  /// Reads the input of `explain`: a request and the service's response.
  private static let refusedAnswers = Reader(name: "refused-answers") { input, random in
    guard let (request, body) = Samples.request(input) else { return false }
    let answer = RejectedResponse(text(body))
    let service = random.pick([SignedService.oss(bucket: "photos", region: "cn-hangzhou"), .oss(), .cos(), .s3()])
    guard let diagnosis = SignatureDiagnosis(of: answer, to: request, signedFor: service) else { return false }
    let again = SignatureDiagnosis(of: answer, to: request, signedFor: service)
    try require("\(diagnosis)" == "\(again.map { "\($0)" } ?? "")", "the same error has two causes")
    return true
  }
}
