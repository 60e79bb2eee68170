internal import HTTPTypes
internal import StorageAuth

extension BucketClient {
  /// The body of an answer, which goes on with another request where it breaks off.
  ///
  /// Only the very object that the first bytes came from is gone on with. What has no entity tag and no version, and
  /// what the service makes of an object, is not resumed.
  func resumed(
    _ reply: HTTPStreamingResponse, _ info: ObjectInfo, _ options: DownloadOptions, length: Int64?
  ) -> ByteStream {
    let key = info.key
    let version = info.versionID ?? options.versionID
    guard let length, options.parameters.isEmpty, version != nil || info.etag.map({ !$0.hasPrefix("W/") }) == true,
      AnswerValue.isSendable(version), AnswerValue.isSendable(info.etag), let start = reply.response.firstByte,
      let end = start.checkedAdding(length)
    else { return reply.body }
    let rest = DownloadOptions(versionID: version, ifMatch: info.etag, headers: options.headers)
    let subject = "GET \(client.location(ofKey: key))"
    let plan = RetryPlan(configuration, isRepeatable: true)
    return reply.body.resuming(plan, length: length) { [self] count, step, number in
      client.events.emit(.retry(.init(subject: subject, attempt: number, delay: step.delay, reason: step.reason)))
      try await client.time.sleep(for: step.delay)
      var options = rest
      options.range = ByteRange(start + count..<end)
      let reply = try await client.send(draft(options, for: key))
      guard reply.response.status == .partialContent, reply.response.firstByte == start + count else {
        throw StorageError.malformedAnswer("it is not the range that was asked for")
      }
      return reply.body
    }
  }
}

extension HTTPResponse {
  /// Where in the object the body begins.
  fileprivate var firstByte: Int64? {
    guard status == .partialContent else { return 0 }
    return headerFields[.contentRange]?.split(separator: " ").last?.split(separator: "-").first.flatMap {
      Int64(digits: $0)
    }
  }
}

extension TransportError {
  /// A transport that does not know how many bytes have to come takes a lost connection for the end.
  fileprivate static let endedEarly = TransportError(
    .connectionLost, "The answer ended early.", remedy: "Download it again.")
}

/// After how many bytes an attempt counts as a success, so that the ones after it start over.
private let worthwhile: Int64 = 1 << 20

extension ByteStream {
  /// The stream, gone on with from another one where it breaks off.
  ///
  /// - Parameters:
  ///   - plan: How often that is tried.
  ///   - length: How many bytes have to come in all.
  ///   - again: Waits and gives what follows after so many bytes.
  fileprivate func resuming(
    _ plan: RetryPlan, length: Int64,
    again: @escaping @Sendable (Int64, RetryPlan.Step, Int) async throws -> ByteStream
  ) -> ByteStream {
    ByteStream(chunks: { [self] in
      var iterator = makeAsyncIterator()
      var count: Int64 = 0
      var resumedAt: Int64 = 0
      var current = plan
      return {
        while true {
          var failure: TransportError?
          do {
            if let chunk = try await iterator.nextChunk() {
              count += Int64(chunk.byteCount)
              return chunk
            }
          } catch let error as TransportError where error.isRetryable {
            failure = error
          }
          if count >= length { return nil }
          if count - resumedAt >= worthwhile { current = plan }
          guard let step = current.step(after: failure ?? .endedEarly) else {
            if let failure { throw failure }
            return nil
          }
          current.attempts += 1
          resumedAt = count
          iterator = try await again(count, step, current.attempts).makeAsyncIterator()
        }
      }
    })
  }
}
