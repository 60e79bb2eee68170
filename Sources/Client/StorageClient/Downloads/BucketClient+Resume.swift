// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension BucketClient {
  /// Returns a response body that continues with another request if the connection is lost.
  ///
  /// Only a download of the identical object is continued. A download is not resumed if the response has neither a
  /// strong entity tag nor a version, or if the service processes the object.
  func resumed(
    _ reply: HTTPStreamingResponse, _ info: ObjectInfo, _ options: DownloadOptions, length: Int64?
  ) -> ByteStream {
    let key = info.key
    let version = info.versionID ?? options.versionID
    guard let length, options.parameters.isEmpty, version != nil || info.etag.map({ !$0.hasBytePrefix("W/") }) == true,
      ResponseValue.isSendable(version), ResponseValue.isSendable(info.etag), let start = reply.response.firstByte,
      let end = start.checkedAdding(length)
    else { return reply.body }
    let rest = DownloadOptions(versionID: version, ifMatch: info.etag, headers: options.headers)
    let subject = "GET \(sender.location(ofKey: key))"
    let plan = RetryPlan(configuration, isRepeatable: true)
    return reply.body.resuming(plan, length: length) { [self] count, step, number in
      sender.events.emit(.retry(.init(subject: subject, attempt: number, delay: step.delay, reason: step.reason)))
      try await sender.time.sleep(for: step.delay)
      var options = rest
      options.range = ByteRange(start + count..<end)
      let reply = try await sender.send(draft(options, for: key))
      guard reply.response.status == .partialContent, reply.response.firstByte == start + count else {
        throw StorageError.malformedResponse("it is not the requested range")
      }
      return reply.body
    }
  }
}

extension HTTPResponse {
  /// The offset of the body's first byte in the object, or `nil` if the response does not report it.
  fileprivate var firstByte: Int64? {
    guard status == .partialContent else { return 0 }
    return headerFields[.contentRange]?.split(separator: " ").last?.split(separator: "-").first.flatMap {
      Int64(digits: $0)
    }
  }
}

extension TransportError {
  /// An error that stands for the failure of a connection that ended early.
  ///
  /// A transport that does not know the expected length reports the end of the body instead of a failure.
  fileprivate static let endedEarly = TransportError(
    .connectionLost, "The response ended early.", remedy: "Download it again.")
}

/// The number of received bytes after which an attempt counts as successful, so that the retry plan starts over.
private let worthwhile: Int64 = 1 << 20

extension ByteStream {
  /// Returns the stream, continued with another stream if the connection is lost.
  ///
  /// - Parameters:
  ///   - plan: The plan that limits the retries.
  ///   - length: The total number of expected bytes.
  ///   - again: A closure that waits for the delay and returns a stream of the bytes after the given number of bytes.
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
