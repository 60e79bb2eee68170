// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting

@testable import AsperaClient
@testable import COSAuth
@testable import StorageClient
@testable import StorageDiagnosis

/// Readers of services' responses to a client: heads, errors, listings, and the sizes and names in them.
extension Reader {
  static let answers = [answerHeads, serviceErrors, refusedAnswers, lists, nodeAnswers, signatureAnswers]

  private static func response(_ input: [UInt8]) -> (head: HTTPResponse, body: [UInt8])? {
    guard let (request, body) = Samples.request(input) else { return nil }
    let status = Int(request.path ?? "").flatMap { (100...999).contains($0) ? $0 : nil } ?? 206
    return (HTTPResponse(status: .init(code: status), headerFields: request.headerFields), body)
  }

  /// Checks that the ranges of a response's size cover it without gaps.
  private static let answerHeads = Reader(
    name: "answer-heads",
    growths: .inputs([
      "many fields": { "GET 200 HTTP/1.1\n" + numbered(to: $0, separator: "\n") { "x-oss-meta-a\($0): b" } },
      "one field again and again": { "GET 200 HTTP/1.1\n" + repeated("x-oss-meta-a: b\n", to: $0) + "a: b" },
      "a long range": { "GET 206 HTTP/1.1\ncontent-range: bytes 0-99/" + repeated("1", to: $0) },
      "a long date": { "GET 206 HTTP/1.1\nlast-modified: " + repeated("Fri, ", to: $0) },
    ])
  ) { input, _ in
    guard let (response, _) = response(input) else { return false }
    for conventions in [HeaderConventions.oss, .cos] {
      let info = ObjectInfo(key: "k", response: response, conventions: conventions)
      try require(info.size ?? 0 >= 0, "an object has a negative size")
      guard let size = info.size, let sizes = try? PartSizes(length: size, preferred: 1 << 20) else { continue }
      let ranges = sizes.ranges(of: size)
      try require(ranges.count <= 10_000, "more than 10,000 ranges")
      try require((ranges.first?.lowerBound ?? 0) == 0 && (ranges.last?.upperBound ?? 0) == size, "bytes are missing")
      try require(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound }, "ranges have gaps")
      let start = response.headerFields[.contentLength].flatMap { Int64(digits: $0) } ?? 0
      _ = sizes.ranges(of: size, from: start)
      for range in [ByteRange(0...start), .last(max(1, start)), ByteRange(start...)] { _ = range.bytes(of: size) }
    }
    return response.headerFields[.contentRange] != nil
  }

  /// Errors of services, also as `explain` gets them.
  private static let refusals: Growths.Shapes = [
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

  private static let errorAnswerGrowths = Growths.bytes(refusals) { body in
    let response = HTTPResponse(status: .forbidden)
    _ = "\(ServiceError(response, body: body, subject: "GET /a", conventions: .oss))"
  }

  private static let serviceErrors = Reader(name: "service-errors", growths: errorAnswerGrowths) { input, _ in
    guard let (response, body) = response(input) else { return false }
    for conventions in [HeaderConventions.oss, .cos] {
      let error = ServiceError(response, body: body, subject: "GET /", conventions: conventions)
      let plan = RetryPlan(StorageClientConfiguration(), isRepeatable: true)
      var next = plan
      if let step = next.scheduleRetry(after: error) {
        try require(step.delay <= .seconds(3600), "a retry waits for hours")
      }
      _ = "\(error)"
    }
    let refusal = NodeRefusal(inBody: body)
    _ = "\(ServiceError(refusal, in: response, subject: "browse"))\(refusal?.shown ?? "")"
    return refusal != nil || ServiceError(response, body: body, subject: "GET /", conventions: .oss).isExplained
  }

  private static let refusedGrowths = Growths.bytes(refusals) { body in
    let answer = RejectedResponse(String(decoding: body, as: UTF8.self))
    var request = HTTPRequest(method: .get, scheme: "https", authority: "b.oss-cn-hangzhou.aliyuncs.com", path: "/a")
    request.headerFields[.authorization] = "OSS measured:AAAA"
    request.headerFields[.date] = "Fri, 20 Nov 2026 08:00:00 GMT"
    _ = SignatureDiagnosis(of: answer, to: request, signedFor: .oss())
    _ = SignatureDiagnosis(of: answer, to: request, signedFor: .s3())
  }

  /// Reads the input of `explain`: a request and the service's response.
  private static let refusedAnswers = Reader(name: "refused-answers", growths: refusedGrowths) { input, random in
    guard let (request, body) = Samples.request(input) else { return false }
    let answer = RejectedResponse(text(body))
    let service = random.pick([SignedService.oss(bucket: "photos", region: "cn-hangzhou"), .oss(), .cos(), .s3()])
    guard let diagnosis = SignatureDiagnosis(of: answer, to: request, signedFor: service) else { return false }
    let again = SignatureDiagnosis(of: answer, to: request, signedFor: service)
    try require("\(diagnosis)" == "\(again.map { "\($0)" } ?? "")", "the same error has two causes")
    return true
  }

  private static let listGrowths = Growths.bytes([
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
  ]) { body in
    for conventions in [HeaderConventions.oss, .cos] {
      _ = try? conventions.format.listing(in: body, of: DocumentRequest(bucket: "b"))
    }
  }

  /// Returns a page of a listing.
  private static func listAnswer(_ content: String) -> String {
    """
    <ListBucketResult><Name>b</Name><EncodingType>url</EncodingType>\(content)
    <IsTruncated>false</IsTruncated></ListBucketResult>
    """
  }

  private static let lists = Reader(name: "list-answers", growths: listGrowths) { input, _ in
    var isRead = false
    for conventions in [HeaderConventions.oss, .cos] {
      guard let page = try? conventions.format.listing(in: input, of: DocumentRequest(bucket: "b")) else { continue }
      isRead = true
      try require(page.continuation?.utf8.count ?? 0 <= ResponseValue.limit, "a continuation exceeds the size limit")
      try require(
        page.entries.allSatisfy { $0.name.utf8.count <= ResponseValue.limit }, "a name exceeds the size limit")
    }
    if let page = try? HeaderConventions.oss.format.versions(in: input, of: DocumentRequest(bucket: "b")) {
      isRead = true
      try require(
        page.versions.allSatisfy { $0.versionID.utf8.count <= ResponseValue.limit }, "a version exceeds the size limit")
    }
    return isRead
  }

  private static let nodeGrowths = Growths.bytes([
    "words": { #"{"error":{"code":1,"user_message":"\#(repeated("basic ", to: $0))"}}"# },
    "one word": { #"{"error":{"code":1,"user_message":"\#(repeated("a", to: $0))"}}"# },
    "specifications": { size in
      let one = #"{"transfer_spec":{"remote_host":"h","paths":[{"source":"/a"}]}}"#
      return #"{"transfer_specs":[\#(repeated(one + ",", to: size))\#(one)]}"#
    },
  ]) { body in
    let value = try? JSONValue(parsing: body)
    _ = value.flatMap { NodeRefusal(of: $0) }?.shown
    _ = try? NodeSetup.results(of: body, count: value?["transfer_specs"]?.array?.count ?? 0)
  }

  private static let nodeAnswers = Reader(name: "node-answers", growths: nodeGrowths) { input, _ in
    guard let document = try? NodeResponse.document(input) else { return false }
    let elements = (document["items"]?.array ?? []) + [document["self"] ?? .null, document]
    var entries = elements.compactMap { try? NodeEntry($0, in: "/") }
    if let itself = try? NodeEntry(requested: document["self"], at: "/folder") { entries.append(itself) }
    for entry in entries {
      try require(!entry.name.utf8.contains(UInt8(ascii: "/")), "a name is a path")
      try require(entry.size ?? 0 >= 0, "a file has a negative size")
    }
    return !entries.isEmpty
  }

  /// Reads the response of a signing server, which becomes a header of the next request.
  private static let signatureAnswers = Reader(
    name: "signature-answers",
    growths: .none(because: "an answer is a JSON document with a few members, which json measures")
  ) { input, random in
    let server = SigningServiceClient(
      "https://a.example/sign", timeout: .seconds(1),
      transport: ScriptedTransport([.status(random.once(in: 8) ? 403 : 200, input)]),
      time: ManualClock(now: Samples.now), headers: { [:] })
    do {
      if random.once(in: 2) {
        try await server.identity(of: "oss").credential().check()
      } else {
        _ = try await server.sign(SigningRequest(.ossV1, method: "GET", stringToSign: "GET\n\n\n\n/"))
      }
      return true
    } catch {
      try requireNoSecret(in: "\(error)", of: [])
      return false
    }
  }
}
