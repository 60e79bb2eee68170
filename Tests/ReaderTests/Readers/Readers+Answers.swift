// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import HTTPTypes
import StorageAuth
import StorageAuthTesting

@testable import AsperaClient
@testable import StorageClient

/// Readers of services' responses to a client: heads, errors, listings, and the sizes and names in them.
extension Reader {
  static let answers = [answerHeads, serviceErrors, lists, nodeAnswers, signatureAnswers]

  private static func response(_ input: [UInt8]) -> (head: HTTPResponse, body: [UInt8])? {
    guard let (request, body) = Samples.request(input) else { return nil }
    let status = Int(request.path ?? "").flatMap { (100...999).contains($0) ? $0 : nil } ?? 206
    return (HTTPResponse(status: .init(code: status), headerFields: request.headerFields), body)
  }

  /// Checks that the ranges of a response's size cover it without gaps.
  private static let answerHeads = Reader(name: "answer-heads") { input, _ in
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

  private static let serviceErrors = Reader(name: "service-errors") { input, _ in
    guard let (response, body) = response(input) else { return false }
    for conventions in [HeaderConventions.oss, .cos] {
      let error = ServiceError(response, body: body, subject: "GET /", conventions: conventions)
      let plan = RetryPlan(StorageClientConfiguration(), isRepeatable: true)
      var next = plan
      if let step = next.step(after: error) { try require(step.delay <= .seconds(3600), "a retry waits for hours") }
      _ = "\(error)"
    }
    let refusal = NodeResponse.refusal(in: body)
    _ = "\(ServiceError(refusal, in: response, subject: "browse"))\(refusal?.shown ?? "")"
    return refusal != nil || ServiceError(response, body: body, subject: "GET /", conventions: .oss).isExplained
  }

  private static let lists = Reader(name: "list-answers") { input, _ in
    let request = ListRequest(bucket: "b", prefix: "", delimiter: nil, continuation: nil)
    var isRead = false
    for conventions in [HeaderConventions.oss, .cos] {
      let response = HTTPResponse(status: .ok)
      guard
        let document = try? ServiceDocument(
          input, named: "ListBucketResult", of: response, subject: "GET /", conventions),
        let page = try? ListPage(document, of: request, conventions)
      else { continue }
      isRead = true
      try require(page.continuation?.utf8.count ?? 0 <= ResponseValue.limit, "a continuation exceeds the size limit")
      try require(
        page.entries.allSatisfy { $0.name.utf8.count <= ResponseValue.limit }, "a name exceeds the size limit")
    }
    return isRead
  }

  private static let nodeAnswers = Reader(name: "node-answers") { input, _ in
    guard let document = try? NodeResponse.document(input) else { return false }
    let elements = (document["items"]?.array ?? []) + [document["self"] ?? .null, document]
    var entries = elements.compactMap { try? NodeEntry($0, in: "/") }
    if let itself = try? NodeEntry(itself: document["self"], at: "/folder") { entries.append(itself) }
    for entry in entries {
      try require(!entry.name.utf8.contains(UInt8(ascii: "/")), "a name is a path")
      try require(entry.size ?? 0 >= 0, "a file has a negative size")
    }
    return !entries.isEmpty
  }

  /// Reads the response of a signing server, which becomes a header of the next request.
  private static let signatureAnswers = Reader(name: "signature-answers") { input, random in
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
