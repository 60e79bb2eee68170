// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import S3Auth
import StorageAuth
import StorageAuthTesting
import StorageCrypto

@testable import COSAuth
@testable import LocalCloud
@testable import OSSAuth

/// Readers of browser forms: parts, fields and policy.
extension Reader {
  static let forms = [formPolicies, submittedForms, multipartBodies, headerParameters]

  private static let formShapes: KeyValuePairs<String, @Sendable (Int) -> (conditions: String, fields: [FormField])> = [
    "many conditions": { size in
      (numbered(to: size, separator: ",") { #"["starts-with","$x\#($0)",""]"# }, [])
    },
    "one condition again and again": { (repeated(#"["starts-with","$key","a"],"#, to: $0) + #"{"bucket":"b"}"#, []) },
    "many fields": { size in
      let count = size / 24
      return (
        (0..<count).map { #"{"x\#($0)":"v"}"# }.joined(separator: ","), (0..<count).map { FormField("x\($0)", "v") }
      )
    },
    "fields in another case": { size in
      let count = size / 24
      return (
        (0..<count).map { #"{"x\#($0)":"v"}"# }.joined(separator: ","), (0..<count).map { FormField("X\($0)", "v") }
      )
    },
    "a long list": { size in
      (#"["in","$x",[\#(repeated(#""a","#, to: size))"v"]]"#, [FormField("x", "v")])
    },
    "ranges": { (repeated(#"["content-length-range",1,2],"#, to: $0) + #"{"bucket":"b"}"#, []) },
    "variables in the key": { size in
      (#"["starts-with","$key",""]"#, [FormField("key", repeated("${filename}", to: size))])
    },
  ]

  private static func policy(_ conditions: String, after more: String = "") -> [UInt8] {
    Array(#"{"expiration":"2026-11-20T09:00:00Z","conditions":[\#(more)\#(conditions)]}"#.utf8)
  }

  private static func form(_ own: [FormField], _ fields: [FormField]) -> SubmittedForm {
    let keyField = fields.contains { $0.name == "key" } ? [] : [FormField("key", "abc")]
    return SubmittedForm(bucket: "b", fields: own + keyField + fields, fileName: "f\\a/b")
  }

  private static let documentGrowths = formShapes.map { shape, make in
    Growth(shape) { size in
      let bytes = policy(make(size).conditions)
      return { _ = try? FormDocument(bytes) }
    }
  }

  private static let formPolicies = Reader(name: "form-policies", growths: .rows(documentGrowths)) { input, _ in
    do throws(VerificationError) {
      _ = try FormDocument(input)
      return true
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return false
    }
  }

  /// Returns the S3 signature of a policy.
  private static func s3Signature(of policy: String) -> String {
    let first = HMACKey<SHA256> { writer in
      writer.append("AWS4")
      Samples.measuredKey.secret.bytes.withBytes { writer.append($0) }
    }
    let parts = ["20261120", "eu-central-1", "s3", "aws4_request"]
    return parts.reduce(first) { key, part in key.derivedKey { $0.append(part) } }.authenticationCode(for: policy).hex
  }

  /// Signed forms with the limits removed, so that the work behind the limits is measured as well.
  private static let submittedGrowths = formShapes.flatMap { shape, make in
    let key = Samples.measuredKey
    let limits = VerificationLimits(parameterCount: 1 << 30, headerByteCount: 1 << 30)
    return [
      Growth("OSS, \(shape)") { size in
        let (conditions, fields) = make(size)
        let text = policy(conditions).base64
        let own = [
          FormField("OSSAccessKeyId", key.id.string), FormField("policy", text),
          FormField("Signature", key.hmacSHA1Base64(text)),
        ]
        let form = form(own, fields)
        let verifier = OSSVerifier(limits: limits)
        return { _ = try? verifier.verify(form, against: key, at: Samples.now) }
      },
      Growth("COS, \(shape)") { size in
        let (conditions, fields) = make(size)
        let times = "1795161540;1795165140"
        let bytes = policy(
          conditions, after: #"{"q-sign-algorithm":"sha1"},{"q-ak":"measured"},{"q-sign-time":"\#(times)"},"#)
        let signature = COSKeyTime(times).map { COSForm.signature(of: bytes, in: $0, with: key) } ?? ""
        let own = [
          FormField("q-sign-algorithm", "sha1"), FormField("q-ak", key.id.string), FormField("q-key-time", times),
          FormField("policy", bytes.base64), FormField("q-signature", signature),
        ]
        let form = form(own, fields)
        let verifier = COSVerifier(limits: limits)
        return { _ = try? verifier.verify(form, against: key, at: Samples.now) }
      },
      Growth("S3, \(shape)") { size in
        let (conditions, fields) = make(size)
        let scope = "\(key.id)/20261120/eu-central-1/s3/aws4_request"
        let bytes = policy(
          conditions,
          after:
            #"{"x-amz-algorithm":"AWS4-HMAC-SHA256"},{"x-amz-credential":"\#(scope)"},{"x-amz-date":"20261120T080000Z"},"#
        )
        let own = [
          FormField("x-amz-algorithm", "AWS4-HMAC-SHA256"), FormField("x-amz-credential", scope),
          FormField("x-amz-date", "20261120T080000Z"), FormField("policy", bytes.base64),
          FormField("x-amz-signature", s3Signature(of: bytes.base64)),
        ]
        let form = form(own, fields)
        let verifier = S3Verifier(region: "eu-central-1", limits: limits)
        return { _ = try? verifier.verify(form, against: key, at: Samples.now) }
      },
    ]
  }

  private static let submittedForms = Reader(name: "submitted-forms", growths: .rows(submittedGrowths)) { input, _ in
    let fields = text(input).split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      line.firstIndex(of: ":").map { FormField(String(line[..<$0]), String(line[line.index(after: $0)...])) }
    }
    let form = SubmittedForm(bucket: "photos", fields: fields, fileName: "a/b\\c", fileType: "image/jpeg")
    return try await [
      verify(form, OSSVerifier(region: "cn-hangzhou"), input), verify(form, COSVerifier(), input),
      verify(form, S3Verifier(region: "eu-central-1"), input),
    ].contains(true)
  }

  private static func verify(
    _ form: SubmittedForm, _ verifier: some FormVerifier, _ input: [UInt8]
  ) async throws -> Bool {
    do {
      let verified = try await verifier.verify(form, at: Samples.now) { Samples.key(for: $0) }
      _ = "\(verified)"
      return true
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return false
    }
  }

  private static let boundary = "b-b-b-b"

  private static let multipartGrowths: [Growth] = {
    let part = "Content-Disposition: form-data; name=\"a\"\r\n\r\n"
    let shapes: Growths.Shapes = [
      "many parts": {
        "--\(boundary)\r\n" + repeated("\(part)x\r\n--\(boundary)\r\n", to: $0) + "\(part)x\r\n--\(boundary)--\r\n"
      },
      "almost boundaries": { "--\(boundary)\r\n\(part)" + repeated("\r\n--b-b-b-", to: $0) },
      "line ends": { "--\(boundary)\r\n\(part)" + repeated("\r", to: $0) },
      "many headers": { "--\(boundary)\r\n" + numbered(to: $0) { "a\($0): b\r\n" } + part },
      "a long header": { "--\(boundary)\r\nContent-Disposition: form-data; " + repeated("a=\"\\\\\";", to: $0) },
      "a long value": { "--\(boundary)\r\n\(part)" + repeated("a", to: $0) + "\r\n--\(boundary)--\r\n" },
    ]
    return [1, 64, 1 << 20].flatMap { chunk in
      shapes.map { shape, make in
        Growth("\(shape), in pieces of \(chunk)", size: chunk == 1 ? 1024 : Growth.usualSize) { size in
          let bytes = Array(make(size).utf8)
          return {
            let pieces = stride(from: 0, to: bytes.count, by: chunk).map {
              Array(bytes[$0..<min(bytes.count, $0 + chunk)])
            }
            var reader = MultipartReader(Pieces(rest: pieces[...]), boundary: boundary)
            while let head = try? await reader.nextPart() {
              _ = head.isFile
              while let chunk = try? await reader.nextChunk() { _ = chunk.readableBytes }
            }
          }
        }
      }
    }
  }()

  /// Checks that the parts are the same however the body is split.
  private static let multipartBodies = Reader(name: "multipart-bodies", growths: .rows(multipartGrowths)) {
    input, random in
    let whole = await parts(of: [input])
    var pieces: [[UInt8]] = []
    var rest = input[...]
    while !rest.isEmpty {
      let count = 1 + random.below(max(4, input.count / 8))
      pieces.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    let cut = await parts(of: pieces)
    try require(whole == cut, "splitting changes the parts:\n\(whole)\n\(cut)")
    return whole.last == "end"
  }

  private static func parts(of pieces: [[UInt8]]) async -> [String] {
    var found: [String] = []
    do {
      var reader = MultipartReader(Pieces(rest: pieces[...]), boundary: "fuzz")
      while let head = try await reader.nextPart() {
        var content: [UInt8] = []
        while let chunk = try await reader.nextChunk() { content += chunk.readableBytesView }
        found.append("\(head.name) \(head.fileName ?? "-") \(head.contentType ?? "-") \(content)")
      }
      found.append("end")
    } catch {
      found.append("refused")
    }
    return found
  }

  private struct Pieces: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>

    mutating func next() async throws -> ByteBuffer? { rest.popFirst().map { ByteBuffer(bytes: $0) } }
  }

  private static let headerParameters = Reader(
    name: "header-parameters",
    growths: .inputs([
      "many parameters": { "form-data; " + numbered(to: $0, separator: "; ") { #"a\#($0)="b""# } },
      "one parameter again and again": { "form-data; " + repeated("a=b; ", to: $0) },
      "a long value": { #"form-data; name=""# + repeated("a\\", to: $0) + #"""# },
      "blanks": { "form-data;" + repeated(" ", to: $0) }, "lines": { numbered(to: $0) { "a\($0): b\n" } },
    ])
  ) { input, _ in
    let text = text(input)
    _ = try? PartHead(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    return HeaderParameters(text) != nil
  }
}
