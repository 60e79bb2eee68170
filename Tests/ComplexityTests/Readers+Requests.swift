// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import COSAuth
import CredentialSources
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth

@testable import LocalCloud

/// Readers of unauthenticated requests, with the size limits removed so that the work behind them is measured as well.
extension Readers {
  static let requests = oss + cos + s3 + services + targets

  private nonisolated static let date = Timestamp(unixSeconds: 1_795_161_600)
  private nonisolated static let key = AccessKey(id: "nobody", secret: "a secret that signs nothing", sessionToken: nil)
  private nonisolated static let limits = VerificationLimits(
    pathByteCount: 1 << 30, parameterCount: 1 << 30, headerCount: 1 << 30, headerByteCount: 1 << 30)

  /// The part of a request that grows.
  private enum Part {
    case path(String)
    case query(String)
    case fields([(String, String)])
    case authorization(String)
  }

  private typealias Shapes = KeyValuePairs<String, (Int) -> Part>

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
    _ name: String, _ shapes: Shapes, query: String = "", _ fixed: [(String, String)] = [],
    by verifier: some SignatureVerifier
  ) -> [Reader] {
    shapes.map { shape, make in
      Reader(name, shape, size: 2048) { size in
        let request = request(make(size), query: query, fixed)
        return {
          _ = try? await verifier.verify(request, at: date) { _ in key }
          _ = try? await verifier.verify(request, at: date) { _ in nil }
        }
      }
    }
  }

  private static var oss: [Reader] {
    let verifier = OSSVerifier(limits: limits)
    let v4 = "nobody/20261120/cn-hangzhou/oss/aliyun_v4_request"
    let day = [("x-oss-date", "20261120T080000Z")]
    let zeros = String(repeating: "0", count: 64)
    let shapes = shapes("x-oss-")
    var result = rows(
      "OSS V1 header", shapes, [("Date", date.httpDate), ("Authorization", "OSS nobody:AAAA")], by: verifier)
    result += rows(
      "OSS V1 header", ["a long authorization": { .authorization("OSS " + repeated("a:", to: $0)) }], by: verifier)
    result += rows("OSS V1 URL", shapes, query: "OSSAccessKeyId=nobody&Expires=1795161700&Signature=AAAA", by: verifier)
    result += rows(
      "OSS V4 header", shapes,
      day + [("Authorization", "OSS4-HMAC-SHA256 Credential=\(v4),Signature=\(zeros)")], by: verifier)
    result += rows(
      "OSS V4 header",
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
      "OSS V4 header",
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
      "OSS V4 URL", shapes,
      query: "x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-credential=\(v4.percentEncodedSlashes)"
        + "&x-oss-date=20261120T080000Z&x-oss-expires=60&x-oss-signature=\(zeros)", by: verifier)
    return result
  }

  private static var s3: [Reader] {
    let verifier = S3Verifier(limits: limits)
    let scope = "20261120/eu-central-1/s3/aws4_request"
    let zeros = String(repeating: "0", count: 64)
    func authorization(_ names: String) -> String {
      "AWS4-HMAC-SHA256 Credential=nobody/\(scope), SignedHeaders=\(names), Signature=\(zeros)"
    }
    let fixed = [("x-amz-date", "20261120T080000Z"), ("x-amz-content-sha256", "UNSIGNED-PAYLOAD")]
    let base = "host;x-amz-content-sha256;x-amz-date"
    // Unsigned headers of the vendor are rejected early; other headers pass all steps.
    var result = rows(
      "S3 header", shapes("x-oss-"), fixed + [("Authorization", authorization(base))], by: verifier)
    result += rows("S3 header", shapes("x-amz-"), fixed + [("Authorization", authorization(base))], by: verifier)
    result += rows(
      "S3 header",
      [
        "signed headers that are there": { size in
          let names = (0..<size / 24).map { "x-amz-meta-\(100_000 + $0)" }
          return .fields(
            names.map { ($0, "a  b") }
              + [("Authorization", authorization(base + ";" + names.joined(separator: ";")))])
        },
        "signed headers that are not there": { size in
          .authorization(authorization(base + ";" + numbered(to: size, separator: ";") { "z\(100_000 + $0)" }))
        },
        "one signed header again and again": { .authorization(authorization(repeated("host;", to: $0) + "host")) },
        "a long authorization": { .authorization("AWS4-HMAC-SHA256 " + repeated("a=b,", to: $0)) },
        "a long credential": { .authorization("AWS4-HMAC-SHA256 Credential=" + repeated("/", to: $0)) },
        "blanks": { .authorization("AWS4-HMAC-SHA256 " + repeated(" ,", to: $0)) },
      ], fixed, by: verifier)
    result += rows(
      "S3 URL", shapes("x-amz-"),
      query: "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=nobody%2F20261120%2Feu-central-1%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20261120T080000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=\(zeros)",
      by: verifier)
    return result + chunks
  }

  /// Chunked bodies without signatures: the framing around the bytes.
  private static var chunks: [Reader] {
    let shapes: KeyValuePairs<String, (Int) -> String> = [
      "one long chunk": { size in String(size, radix: 16) + "\r\n" + repeated("a", to: size) + "\r\n0\r\n" },
      "chunks of one byte": { repeated("1\r\na\r\n", to: $0) + "0\r\n" },
      "a long line": { repeated("0", to: $0) }, "line feeds": { "0\r\n" + repeated("\r\n", to: $0) },
      "a long trailer": { "0\r\nx-amz-checksum-crc32:" + repeated("a", to: $0) + "\r\n\r\n" },
      "many trailers": { "0\r\n" + repeated("x-amz-checksum-crc32:AAAAAA==\r\n", to: $0) + "\r\n" },
    ]
    return shapes.flatMap { shape, make in
      [1, 4096].map { piece in
        Reader("S3 body in chunks", "\(shape), \(piece) at a time") { size in
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
          guard let signed = try? signer.signed(request, with: key, in: .at(date)),
            let claim = try? verifier.claim(in: signed),
            let verified = try? verifier.verify(claim, against: key, at: date)
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
  }

  private static func cosAuthorization(headers: String = "", parameters: String = "") -> String {
    let times = "q-sign-time=1795161540;1795165140&q-key-time=1795161540;1795165140"
    return "q-sign-algorithm=sha1&q-ak=nobody&\(times)&q-header-list=\(headers)&q-url-param-list=\(parameters)"
      + "&q-signature=\(String(repeating: "0", count: 40))"
  }

  private static var cos: [Reader] {
    var rows: [Reader] = []
    for mode in [COSVerifier.Mode.compatible, .strict] {
      let verifier = COSVerifier(mode: mode, limits: limits)
      rows += Self.rows("COS header", shapes("x-cos-"), [("Authorization", cosAuthorization())], by: verifier)
      rows += Self.rows("COS URL", shapes("x-cos-"), query: cosAuthorization(), by: verifier)
      rows += Self.rows(
        "COS header",
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
        Reader("COS header", "many listed parameters, \(width) names a letter", size: 2048) { size in
          let names = (0..<size / 12).map { "p\($0 / width)\(width == 1 ? "" : "%2B")" }
          var request = Readers.request(.query(names.map { "\($0)=v" }.joined(separator: "&")), [])
          request.headerFields[.authorization] = cosAuthorization(parameters: names.joined(separator: ";"))
          let made = request
          return { _ = try? await verifier.verify(made, at: date) { _ in key } }
        }
      }
    }
    return rows
  }

  private static var services: [Reader] {
    let headers: KeyValuePairs<String, (Int) -> String> = [
      "many names": {
        "ACS3-HMAC-SHA256 Credential=a,SignedHeaders=\(numbered(to: $0, separator: ";") { "h\($0)" }),Signature=0"
      },
      "many parts": { "ACS3-HMAC-SHA256 " + repeated("a=b,", to: $0) },
      "blanks": { "TC3-HMAC-SHA256 " + repeated(" ", to: $0) },
    ]
    let authorizations: KeyValuePairs<String, (Int) -> String> = [
      "long base64": { "Basic " + repeated("YTpi", to: $0) }, "colons": { "Basic " + repeated("Ojo6", to: $0) },
      "a long bearer token": { "Bearer " + repeated("eJx", to: $0) },
    ]
    let services = Reader.bytes("STS authorization", headers) {
      _ = ServiceAuthorization(String(decoding: $0, as: UTF8.self))
    }
    return services
      + Reader.bytes("Aspera node authorization", authorizations) { bytes in
        var request = HTTPRequest(method: .get, scheme: "https", authority: "127.0.0.1", path: "/ops/transfers")
        request.headerFields[.authorization] = String(decoding: bytes, as: UTF8.self)
        if let name = HTTPField.Name("X-Aspera-AccessKey") { request.headerFields[name] = "key" }
        let call = InboundCall(request, body: [], requestID: "", at: date)
        _ = try? NodeAuthenticator(directory: NodeDirectory(LocalCloud.Configuration(accounts: []))).caller(of: call)
        if let token = String(decoding: bytes, as: UTF8.self).split(separator: " ").last {
          _ = try? NodeBearerToken(Secret(String(token)))
        }
      }
  }

  private static var targets: [Reader] {
    shapes("x-oss-").map { shape, make in
      Reader("request target", shape) { size in
        let request = request(make(size), [])
        return {
          guard let target = try? RequestTarget(of: request) else { return }
          _ = try? Operation(request.method, target, of: .oss, isCopy: false)
          _ = target.ignoringCase
          _ = "\(target.parameters)"
        }
      }
    }
  }
}

extension String {
  fileprivate var percentEncodedSlashes: String { replacing("/", with: "%2F") }
}
