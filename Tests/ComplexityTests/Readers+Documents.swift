// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import NIOCore
import OSSAuth
import S3Auth
import StorageAuth
import StorageCrypto

@testable import AsperaClient
@testable import COSAuth
@testable import LocalCloud
@testable import OSSAuth
@testable import StorageClient
@testable import StorageDiagnosis

/// Readers of documents that a server or a client sends, and of forms.
extension Readers {
  static let documents = xml + answers + json

  private static let xmlShapes: KeyValuePairs<String, (Int) -> String> = [
    "many attributes": { "<a \(numbered(to: $0, separator: " ") { "a\($0)=''" })/>" },
    "one attribute again and again": { "<a \(repeated("a='' ", to: $0))/>" },
    "elements full of attributes": { size in
      let element = "<b \(numbered(to: 400, separator: " ") { "a\($0)=''" })/>"
      return "<a>\(repeated(element, to: size))</a>"
    },
    "deep elements": { repeated("<a>", to: $0) },
    "elements as deep as they may be": { size in
      let element = String(repeating: "<a>", count: 60) + String(repeating: "</a>", count: 60)
      return "<a>\(repeated(element, to: size))</a>"
    },
    "many small elements": { "<a>\(repeated("<b/>", to: $0))</a>" },
    "many references": { "<a>\(repeated("&amp;&#65;", to: $0))</a>" },
    "an unfinished reference": { "<a>\(repeated("&", to: $0))</a>" },
    "comments and text": { "<a>\(repeated("x<!---->", to: $0))</a>" },
    "unfinished comments": { "<a>\(repeated("<!-", to: $0))</a>" },
    "a comment of hyphens": { "<a><!--\(repeated("- ", to: $0))</a>" },
    "brackets": { "<a><![CDATA[\(repeated("]", to: $0))]]></a>" },
    "instructions": { "\(repeated("<?b ??>", to: $0))<a/>" },
    "questions": { "<a><?b \(repeated("?", to: $0))</a>" },
    "carriage returns": { "<a>\(repeated("\r", to: $0))</a>" },
    "a long name": { "<\(repeated("a", to: $0))/>" },
    "a character in the way": { "<a>\(repeated("x\n", to: $0))\u{1}</a>" },
    "blanks": { repeated(" ", to: $0) + "<a/>" },
    "letters of three bytes": { "<a>\(repeated("\u{65E5}", to: $0))</a>" },
  ]

  private static let xml = Reader.bytes("XML", size: 8192, xmlShapes) { _ = try? XMLNode.parse($0) }

  private static let refusals: KeyValuePairs<String, (Int) -> String> = [
    "tokens of one letter": {
      "<Error><StringToSign>\(repeated("x-oss-security-token:e\n", to: $0))</StringToSign></Error>"
    },
    "names of tokens": { "<Error><CanonicalRequest>\(repeated("security-token", to: $0))</CanonicalRequest></Error>" },
    "colons": { "<Error><StringToSign>\(repeated(":", to: $0))</StringToSign></Error>" },
    "a long message": { "<Error><Code>C</Code><Message>\(repeated("a ", to: $0))</Message></Error>" },
    "many elements": { "<Error>\(numbered(to: $0) { "<e\($0)>x</e\($0)>" })</Error>" },
    "beginnings of a document": { repeated("<Erro", to: $0) + "<Error></Error>" },
    "documents": { repeated("<Error></Error>", to: $0) },
    "lines of a head": { "HTTP/1.1 403 F\n\(numbered(to: $0) { "a\($0): b\n" })\n<Error/>" },
    "lines": { "GET\n\(repeated("x-oss-a:b\n", to: $0))/" },
    "bytes": { "<Error><StringToSignBytes>\(repeated("41 ", to: $0))</StringToSignBytes></Error>" },
    "a format string": { "get\n/\n\(repeated("a=b&", to: $0))\nhost=h\n" },
  ]

  private static let serviceErrors: [Reader] =
    Reader.bytes("service error", refusals) { body in
      let response = HTTPResponse(status: .forbidden)
      _ = "\(ServiceError(response, body: body, subject: "GET /a", conventions: .oss))"
    }

  private static let refusedAnswers: [Reader] =
    Reader.bytes("refused answer", refusals) { body in
      let answer = RejectedResponse(String(decoding: body, as: UTF8.self))
      var request = HTTPRequest(method: .get, scheme: "https", authority: "b.oss-cn-hangzhou.aliyuncs.com", path: "/a")
      request.headerFields[.authorization] = "OSS nobody:AAAA"
      request.headerFields[.date] = "Fri, 20 Nov 2026 08:00:00 GMT"
      _ = SignatureDiagnosis(of: answer, to: request, signedFor: .oss())
      _ = SignatureDiagnosis(of: answer, to: request, signedFor: .s3())
    }

  private static let lists: [Reader] =
    Reader.bytes(
      "list answer",
      [
        "objects in the wrong order": { size in
          let objects = (0..<size / 64).reversed().map {
            "<Contents><Key>a\($0 + 1_000_000)</Key><Size>1</Size></Contents>"
          }
          return listAnswer(objects.joined())
        },
        "one object again and again": {
          listAnswer(repeated("<Contents><Key>a</Key><Size>1</Size></Contents>", to: $0))
        },
        "names of escapes": {
          listAnswer("<CommonPrefixes><Prefix>\(repeated("%41", to: $0))</Prefix></CommonPrefixes>")
        },
        "objects and groups by turns": { size in
          listAnswer(
            (0..<size / 128).map {
              """
              <Contents><Key>a\($0 + 1_000_000)a</Key><Size>1</Size></Contents>
              <CommonPrefixes><Prefix>a\($0 + 1_000_000)b</Prefix></CommonPrefixes>
              """
            }.joined())
        },
        "names with a long common prefix": { size in
          let name = String(repeating: "a", count: 500)
          return listAnswer(
            (0..<size / 550).map { "<Contents><Key>\(name)\($0 + 1_000_000)</Key><Size>1</Size></Contents>" }.joined())
        },
      ],
      read: { body in
        let request = ListRequest(bucket: "b", prefix: "", delimiter: nil, continuation: nil)
        for conventions in [HeaderConventions.oss, .cos] {
          let response = HTTPResponse(status: .ok)
          let document = try? ServiceDocument(
            body, named: "ListBucketResult", of: response, subject: "GET /", conventions)
          guard let document else { return }
          _ = try? ListPage(document, of: request, conventions)
        }
      })

  /// Returns a page of a listing.
  private static func listAnswer(_ content: String) -> String {
    """
    <ListBucketResult><Name>b</Name><EncodingType>url</EncodingType>\(content)
    <IsTruncated>false</IsTruncated></ListBucketResult>
    """
  }

  private static let nodeAnswers: [Reader] =
    Reader.bytes(
      "answer of a node",
      [
        "words": { #"{"error":{"code":1,"user_message":"\#(repeated("basic ", to: $0))"}}"# },
        "one word": { #"{"error":{"code":1,"user_message":"\#(repeated("a", to: $0))"}}"# },
        "specifications": { size in
          let one = #"{"transfer_spec":{"remote_host":"h","paths":[{"source":"/a"}]}}"#
          return #"{"transfer_specs":[\#(repeated(one + ",", to: size))\#(one)]}"#
        },
      ],
      read: { body in
        let value = try? JSONValue(parsing: body)
        _ = value.flatMap { NodeRefusal(of: $0) }?.shown
        _ = try? NodeSetup.results(of: body, count: value?["transfer_specs"]?.array?.count ?? 0)
      })

  private static let answers: [Reader] = serviceErrors + refusedAnswers + lists + nodeAnswers

  private static let jsonShapes: KeyValuePairs<String, (Int) -> String> = [
    "deep arrays": { repeated("[", to: $0) }, "deep objects": { repeated(#"{"a":"#, to: $0) },
    "many members": { "{\(numbered(to: $0, separator: ",") { "\"a\($0)\":1" })}" },
    "one member again and again": { "{\(repeated(#""a":1,"#, to: $0))\"b\":1}" },
    "escapes": { "\"\(repeated(#"\u0041\n"#, to: $0))\"" },
    "surrogates": { "\"\(repeated(#"\ud83d\ude00"#, to: $0))\"" },
    "a long number": { repeated("1", to: $0) },
    "a long fraction": { "0.\(repeated("1", to: $0))e\(repeated("9", to: 64))" },
    "many numbers": { "[\(repeated("1,", to: $0))1]" }, "an open string": { "\"" + repeated("a", to: $0) },
    "blanks": { repeated(" \n", to: $0) + "1" }, "many strings": { "[\(repeated(#""a","#, to: $0))1]" },
    "an error at the end": { "[\(repeated("1,\n", to: $0))]" },
    "names that are one for Swift": { size in
      "{\(numbered(to: size, separator: ",") { "\"\($0 % 2 == 0 ? "e\u{301}" : "\u{E9}")\($0)\":1" })}"
    },
  ]

  private static let json = Reader.bytes("JSON", size: 8192, jsonShapes) { bytes in
    guard let value = try? JSONValue(parsing: bytes) else { return }
    _ = value.serialized
    _ = value.object.map { object in object.names.allSatisfy { object[$0] != nil } }
  }

  // MARK: Forms

  static let forms = formReaders + multipart

  private nonisolated static let date = Timestamp(unixSeconds: 1_795_161_600)
  private nonisolated static let key = AccessKey(id: "nobody", secret: "a secret that signs nothing")

  /// The policy and the fields of a form.
  private static let formPolicies: KeyValuePairs<String, (Int) -> (conditions: String, fields: [FormField])> = [
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

  /// Returns the S3 signature of a policy.
  private nonisolated static func s3Signature(of policy: String) -> String {
    let first = HMACKey<SHA256> { writer in
      writer.append("AWS4")
      key.secret.bytes.withBytes { writer.append($0) }
    }
    let parts = ["20261120", "eu-central-1", "s3", "aws4_request"]
    return parts.reduce(first) { key, part in key.derivedKey { $0.append(part) } }.authenticationCode(for: policy).hex
  }

  private static let formReaders: [Reader] = formPolicies.flatMap { shape, make in
    let limits = VerificationLimits(parameterCount: 1 << 30, headerByteCount: 1 << 30)
    func policy(_ conditions: String, _ more: String) -> [UInt8] {
      Array(#"{"expiration":"2026-11-20T09:00:00Z","conditions":[\#(more)\#(conditions)]}"#.utf8)
    }
    func base64(_ bytes: [UInt8]) -> String { String(writing: { $0.append(base64: bytes) }) }
    func form(_ own: [FormField], _ fields: [FormField]) -> SubmittedForm {
      let keyField = fields.contains { $0.name == "key" } ? [] : [FormField("key", "abc")]
      return SubmittedForm(bucket: "b", fields: own + keyField + fields, fileName: "f\\a/b")
    }
    return [
      Reader("OSS form", shape) { size in
        let (conditions, fields) = make(size)
        let text = base64(policy(conditions, ""))
        let own = [
          FormField("OSSAccessKeyId", key.id.string), FormField("policy", text),
          FormField("Signature", OSSForm.v1Signature(of: text, with: key)),
        ]
        let form = form(own, fields)
        let verifier = OSSVerifier(limits: limits)
        return { _ = try? verifier.verify(form, against: key, at: date) }
      },
      Reader("COS form", shape) { size in
        let (conditions, fields) = make(size)
        let times = "1795161540;1795165140"
        let bytes = policy(
          conditions, #"{"q-sign-algorithm":"sha1"},{"q-ak":"nobody"},{"q-sign-time":"\#(times)"},"#)
        let signature = COSKeyTime(times).map { COSForm.signature(of: bytes, in: $0, with: key) } ?? ""
        let own = [
          FormField("q-sign-algorithm", "sha1"), FormField("q-ak", key.id.string), FormField("q-key-time", times),
          FormField("policy", base64(bytes)), FormField("q-signature", signature),
        ]
        let form = form(own, fields)
        let verifier = COSVerifier(limits: limits)
        return { _ = try? verifier.verify(form, against: key, at: date) }
      },
      Reader("S3 form", shape) { size in
        let (conditions, fields) = make(size)
        let scope = "\(key.id)/20261120/eu-central-1/s3/aws4_request"
        let bytes = policy(
          conditions,
          #"{"x-amz-algorithm":"AWS4-HMAC-SHA256"},{"x-amz-credential":"\#(scope)"},{"x-amz-date":"20261120T080000Z"},"#
        )
        let own = [
          FormField("x-amz-algorithm", "AWS4-HMAC-SHA256"), FormField("x-amz-credential", scope),
          FormField("x-amz-date", "20261120T080000Z"), FormField("policy", base64(bytes)),
          FormField("x-amz-signature", s3Signature(of: base64(bytes))),
        ]
        let form = form(own, fields)
        let verifier = S3Verifier(region: "eu-central-1", limits: limits)
        return { _ = try? verifier.verify(form, against: key, at: date) }
      },
      Reader("form policy", shape) { size in
        let bytes = policy(make(size).conditions, "")
        return { _ = try? FormDocument(bytes) }
      },
    ]
  }

  private nonisolated static let boundary = "b-b-b-b"

  private static let multipart: [Reader] = {
    let part = "Content-Disposition: form-data; name=\"a\"\r\n\r\n"
    let shapes: KeyValuePairs<String, (Int) -> String> = [
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
        Reader("multipart body", "\(shape), in pieces of \(chunk)", size: chunk == 1 ? 1024 : 4096) { size in
          let bytes = Array(make(size).utf8)
          return {
            let chunks = stride(from: 0, to: bytes.count, by: chunk).map {
              ByteBuffer(bytes: bytes[$0..<min(bytes.count, $0 + chunk)])
            }
            var reader = MultipartReader(Chunks(chunks: chunks[...]), boundary: boundary)
            while let head = try? await reader.nextPart() {
              _ = head.isFile
              while let chunk = try? await reader.nextChunk() { _ = chunk.readableBytes }
            }
          }
        }
      }
    }
  }()

  private struct Chunks: AsyncIteratorProtocol {
    var chunks: ArraySlice<ByteBuffer>

    mutating func next() async throws -> ByteBuffer? { chunks.popFirst() }
  }
}
