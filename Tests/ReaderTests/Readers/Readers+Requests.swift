// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting
import StorageCrypto

@testable import LocalCloud

/// Readers of requests: their targets, signatures and chunked bodies.
///
/// The growths are unauthenticated requests, with the size limits removed so that the work behind them is measured as
/// well.
extension Reader {
  static let requests = [ossRequests, cosRequests, s3Requests, s3Chunks, acceptedRequests, targets]

  private static let limits = VerificationLimits(
    pathByteCount: 1 << 30, parameterCount: 1 << 30, headerCount: 1 << 30, headerByteCount: 1 << 30)

  /// The part of a request that grows.
  private enum Part: Sendable {
    case path(String)
    case query(String)
    case fields([(String, String)])
    case authorization(String)
  }

  private typealias Shapes = KeyValuePairs<String, @Sendable (Int) -> Part>

  private static func fields(to size: Int, _ make: (Int) -> (String, String)) -> Part {
    var fields: [(String, String)] = []
    var count = 0
    while count < size {
      let field = make(fields.count)
      count += field.0.utf8.count + field.1.utf8.count
      fields.append(field)
    }
    return .fields(fields)
  }

  /// The shapes that are expensive wherever the signature is.
  private static func shapes(_ prefix: String) -> Shapes {
    [
      "a long path": { .path(repeated("a", to: $0)) },
      "a path of escapes": { .path(repeated("%E6%97%A5", to: $0)) },
      "a path of slashes": { .path(repeated("/", to: $0)) },
      "many parameters": { .query(numbered(to: $0, separator: "&") { "a\($0)=b" }) },
      "one parameter again and again": { .query(repeated("a=b&", to: $0) + "c=d") },
      "parameters that differ in case": {
        .query(numbered(to: $0, separator: "&") { ($0 % 2 == 0 ? "A" : "a") + "\($0 / 2)=" })
      },
      "parameters of escapes": { .query(numbered(to: $0, separator: "&") { "%61\($0)=%3D%26%2B" }) },
      "tokens of one letter as parameters": { .query(repeated("security-token=e&", to: $0) + "a=b") },
      "many sub-resources": { .query(repeated("acl&uploads&", to: $0) + "acl") },
      "many headers of the vendor": { fields(to: $0) { ("\(prefix)meta-\($0)", "e") } },
      "headers with a long common prefix": {
        fields(to: $0) { ("\(prefix)meta-" + String(repeating: "a", count: 64) + "\($0)", "") }
      },
      "one header again and again": { fields(to: $0) { _ in ("\(prefix)meta-a", "e") } },
      "tokens of one letter in headers": { fields(to: $0) { _ in ("x-ci-security-token", "e") } },
      "tokens that are masks": { fields(to: $0) { _ in ("\(prefix)meta-security-token", "redacted") } },
      "a long value": { size in .fields([("\(prefix)meta-a", repeated("e ", to: size))]) },
      "many plain headers": { fields(to: $0) { ("a\($0)", "b") } },
    ]
  }

  private static func request(_ part: Part, query: String = "", _ fixed: [(String, String)]) -> HTTPRequest {
    var path = "/photos/e"
    var queries = query.isEmpty ? [] : [query]
    var fields = fixed
    switch part {
    case .path(let more): path += more
    case .query(let more): queries.append(more)
    case .fields(let more): fields += more
    case .authorization(let text): fields.append(("Authorization", text))
    }
    var request = HTTPRequest(
      method: .get, scheme: "https", authority: "127.0.0.1",
      path: queries.isEmpty ? path : "\(path)?\(queries.joined(separator: "&"))")
    for (name, value) in fields {
      guard let name = HTTPField.Name(name) else { continue }
      request.headerFields.append(HTTPField(name: name, value: value))
    }
    return request
  }

  /// Verifies a request with a key that does not match the signature, and without a key.
  private static func rows(
    _ kind: String, _ shapes: Shapes, query: String = "", _ fixed: [(String, String)] = [],
    by verifier: some SignatureVerifier
  ) -> [Growth] {
    shapes.map { shape, make in
      Growth("\(kind), \(shape)", size: 2048) { size in
        let request = request(make(size), query: query, fixed)
        return {
          _ = try? await verifier.verify(request, at: Samples.now) { _ in Samples.measuredKey }
          _ = try? await verifier.verify(request, at: Samples.now) { _ in nil }
        }
      }
    }
  }

  private static let ossGrowths: [Growth] = {
    let verifier = OSSVerifier(limits: limits)
    let v4 = "measured/20261120/cn-hangzhou/oss/aliyun_v4_request"
    let day = [("x-oss-date", "20261120T080000Z")]
    let zeros = String(repeating: "0", count: 64)
    let shapes = Self.shapes("x-oss-")
    var result = rows(
      "V1 header", shapes, [("Date", Samples.now.httpDate), ("Authorization", "OSS measured:AAAA")], by: verifier)
    result += rows(
      "V1 header", ["a long authorization": { .authorization("OSS " + repeated("a:", to: $0)) }], by: verifier)
    result += rows("V1 URL", shapes, query: "OSSAccessKeyId=measured&Expires=1795161700&Signature=AAAA", by: verifier)
    result += rows(
      "V4 header", shapes,
      day + [("Authorization", "OSS4-HMAC-SHA256 Credential=\(v4),Signature=\(zeros)")], by: verifier)
    result += rows(
      "V4 header",
      [
        "many additional headers": { size in
          let names = numbered(to: size, separator: ";") { "h\($0)" }
          return .authorization("OSS4-HMAC-SHA256 Credential=\(v4),AdditionalHeaders=\(names),Signature=\(zeros)")
        },
        "one additional header again and again": { size in
          let names = repeated("host;", to: size) + "host"
          return .authorization("OSS4-HMAC-SHA256 Credential=\(v4),AdditionalHeaders=\(names),Signature=\(zeros)")
        },
        "a long authorization": { .authorization("OSS4-HMAC-SHA256 " + repeated("a=b,", to: $0)) },
        "a long credential": { .authorization("OSS4-HMAC-SHA256 Credential=" + repeated("/", to: $0)) },
      ], day, by: verifier)
    result += rows(
      "V4 header",
      [
        "additional headers that are there": { size in
          let count = size / 16
          let names = (0..<count).map { "h\($0)" }
          let authorization =
            "OSS4-HMAC-SHA256 Credential=\(v4),AdditionalHeaders=\(names.joined(separator: ";")),Signature=\(zeros)"
          return .fields(names.map { ($0, "v") } + [("Authorization", authorization)])
        }
      ], day, by: verifier)
    result += rows(
      "V4 URL", shapes,
      query: "x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-credential=\(v4.percentEncodedSlashes)"
        + "&x-oss-date=20261120T080000Z&x-oss-expires=60&x-oss-signature=\(zeros)", by: verifier)
    return result
  }()

  private static let ossRequests = Reader(name: "oss-requests", growths: .rows(ossGrowths)) { input, _ in
    let verifiers = [
      OSSVerifier(region: "cn-hangzhou"), OSSVerifier(bucket: "photos"),
      OSSVerifier(style: .path).acceptingPayloadHashes,
    ]
    return try await check(input, verifiers)
  }

  private static func cosAuthorization(headers: String = "", parameters: String = "") -> String {
    let times = "q-sign-time=1795161540;1795165140&q-key-time=1795161540;1795165140"
    return "q-sign-algorithm=sha1&q-ak=measured&\(times)&q-header-list=\(headers)&q-url-param-list=\(parameters)"
      + "&q-signature=\(String(repeating: "0", count: 40))"
  }

  private static let cosGrowths: [Growth] = {
    var rows: [Growth] = []
    for mode in [COSVerifier.Mode.compatible, .strict] {
      let verifier = COSVerifier(mode: mode, limits: limits)
      rows += Self.rows("header, \(mode)", shapes("x-cos-"), [("Authorization", cosAuthorization())], by: verifier)
      rows += Self.rows("URL, \(mode)", shapes("x-cos-"), query: cosAuthorization(), by: verifier)
      rows += Self.rows(
        "header, \(mode)",
        [
          "many listed headers": { size in
            let names = (0..<size / 16).map { "x-cos-meta-\($0)" }
            return .fields(
              names.map { ($0, "v") } + [("Authorization", cosAuthorization(headers: names.joined(separator: ";")))])
          },
          "listed headers that are not there": { size in
            .authorization(cosAuthorization(headers: numbered(to: size, separator: ";") { "h\($0)" }))
          },
          "one listed header again and again": { size in
            .authorization(cosAuthorization(headers: repeated("host;", to: size) + "host"))
          },
          "a long authorization": { .authorization(repeated("q-ak=a&", to: $0)) },
        ], by: verifier)
      rows += [8, 1].map { width in
        Growth("header, \(mode), many listed parameters, \(width) names a letter", size: 2048) { size in
          let names = (0..<size / 12).map { "p\($0 / width)\(width == 1 ? "" : "%2B")" }
          var request = request(.query(names.map { "\($0)=v" }.joined(separator: "&")), [])
          request.headerFields[.authorization] = cosAuthorization(parameters: names.joined(separator: ";"))
          let made = request
          return { _ = try? await verifier.verify(made, at: Samples.now) { _ in Samples.measuredKey } }
        }
      }
    }
    return rows
  }()

  private static let cosRequests = Reader(name: "cos-requests", growths: .rows(cosGrowths)) { input, _ in
    try await check(input, [COSVerifier()])
  }

  private static func s3Authorization(_ names: String) -> String {
    let scope = "20261120/eu-central-1/s3/aws4_request"
    let zeros = String(repeating: "0", count: 64)
    return "AWS4-HMAC-SHA256 Credential=measured/\(scope), SignedHeaders=\(names), Signature=\(zeros)"
  }

  private static let s3Growths: [Growth] = {
    let verifier = S3Verifier(limits: limits)
    let zeros = String(repeating: "0", count: 64)
    let fixed = [("x-amz-date", "20261120T080000Z"), ("x-amz-content-sha256", "UNSIGNED-PAYLOAD")]
    let base = "host;x-amz-content-sha256;x-amz-date"
    // Unsigned headers of the vendor are rejected early; other headers pass all steps.
    var result = rows(
      "header with foreign fields", shapes("x-oss-"), fixed + [("Authorization", s3Authorization(base))], by: verifier)
    result += rows("header", shapes("x-amz-"), fixed + [("Authorization", s3Authorization(base))], by: verifier)
    result += rows(
      "header",
      [
        "signed headers that are there": { size in
          let names = (0..<size / 24).map { "x-amz-meta-\(100_000 + $0)" }
          return .fields(
            names.map { ($0, "a  b") }
              + [("Authorization", s3Authorization(base + ";" + names.joined(separator: ";")))])
        },
        "signed headers that are not there": { size in
          .authorization(s3Authorization(base + ";" + numbered(to: size, separator: ";") { "z\(100_000 + $0)" }))
        },
        "one signed header again and again": { .authorization(s3Authorization(repeated("host;", to: $0) + "host")) },
        "a long authorization": { .authorization("AWS4-HMAC-SHA256 " + repeated("a=b,", to: $0)) },
        "a long credential": { .authorization("AWS4-HMAC-SHA256 Credential=" + repeated("/", to: $0)) },
        "blanks": { .authorization("AWS4-HMAC-SHA256 " + repeated(" ,", to: $0)) },
      ], fixed, by: verifier)
    result += rows(
      "URL", shapes("x-amz-"),
      query: "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=measured%2F20261120%2Feu-central-1%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20261120T080000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=\(zeros)",
      by: verifier)
    return result
  }()

  private static let s3Requests = Reader(name: "s3-requests", growths: .rows(s3Growths)) { input, _ in
    try await check(input, [S3Verifier(region: "eu-central-1"), S3Verifier(style: .path, bucket: "photos")])
  }

  /// Chunked bodies without signatures: the framing around the bytes.
  private static let chunkGrowths: [Growth] = {
    let shapes: Growths.Shapes = [
      "one long chunk": { size in String(size, radix: 16) + "\r\n" + repeated("a", to: size) + "\r\n0\r\n" },
      "chunks of one byte": { repeated("1\r\na\r\n", to: $0) + "0\r\n" },
      "a long line": { repeated("0", to: $0) }, "line feeds": { "0\r\n" + repeated("\r\n", to: $0) },
      "a long trailer": { "0\r\nx-amz-checksum-crc32:" + repeated("a", to: $0) + "\r\n\r\n" },
      "many trailers": { "0\r\n" + repeated("x-amz-checksum-crc32:AAAAAA==\r\n", to: $0) + "\r\n" },
    ]
    return shapes.flatMap { shape, make in
      [1, 4096].map { piece in
        Growth("\(shape), \(piece) at a time") { size in
          let body = Array(make(size).utf8)
          var request = HTTPRequest(
            method: .put, scheme: "https", authority: "photos.s3.eu-central-1.amazonaws.com", path: "/a")
          for (name, value) in [
            ("x-amz-decoded-content-length", "\(1 << 30)"), ("x-amz-trailer", "x-amz-checksum-crc32"),
          ] {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
          }
          let signer = S3Signer(region: "eu-central-1", payload: .unsignedChunksWithTrailer)
          let verifier = S3Verifier(region: "eu-central-1")
          guard let signed = try? signer.signed(request, with: Samples.measuredKey, in: .at(Samples.now)),
            let claim = try? verifier.claim(in: signed),
            let verified = try? verifier.verify(claim, against: Samples.measuredKey, at: Samples.now)
          else { return {} }
          return {
            guard var decoder = verified.bodyDecoder else { return }
            var rest = body[...]
            while !rest.isEmpty {
              guard (try? decoder.decode(Array(rest.prefix(piece)))) != nil else { return }
              rest = rest.dropFirst(piece)
            }
            try? decoder.finish()
          }
        }
      }
    }
  }()

  /// Checks that a chunked body is the same however it is split, and has the stated length.
  ///
  /// The first line of the input is that length.
  private static let s3Chunks = Reader(name: "s3-chunks", growths: .rows(chunkGrowths)) { input, random in
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
  private static let acceptedRequests = Reader(
    name: "signed-requests", growths: .none(because: "oss-requests, cos-requests and s3-requests measure them")
  ) { input, random in
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

  private static let targetGrowths =
    shapes("x-oss-").map { shape, make in
      Growth(shape) { size in
        let request = request(make(size), [])
        return {
          guard let target = try? RequestTarget(of: request) else { return }
          _ = try? Operation(request.method, target, of: .oss, isCopy: false)
          _ = target.ignoringCase
          _ = "\(target.parameters)"
        }
      }
    }

  private static let targets = Reader(name: "request-targets", growths: .rows(targetGrowths)) { input, _ in
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
}

extension String {
  fileprivate var percentEncodedSlashes: String { replacing("/", with: "%2F") }
}
