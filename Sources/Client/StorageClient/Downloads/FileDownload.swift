// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A download of an object into a file: the response for the first range reports the size, and the others follow.
struct FileDownload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let options: DownloadOptions
  let file: FileReplacement
  let ledger: TransferLedger

  private typealias WrittenRange = DownloadCheckpoint.WrittenRange

  func download() async throws -> ObjectInfo {
    let (first, info) = try await openFirstRange()
    let meter = ledger.meter(total: first.info.size ?? first.contentLength)
    let algorithm = info.checksum?.algorithm ?? bucket.provider.conventions.algorithm
    guard options.range == nil, let size = first.info.size, let length = first.contentLength, length < size else {
      _ = try await write(first.body, at: 0, algorithm, meter)
      return first.info
    }
    let ranges = try await writeRanges(startingWith: first, length: length, size: size, algorithm, meter)
    let checksum = ranges.sorted { $0.offset < $1.offset }.reduce(ObjectChecksum(algorithm, of: [])) {
      $0.followed(by: $1.checksum, byteCount: $1.length)
    }
    if let expected = info.checksum { try checkChecksum(of: "the object \(key)", checksum, expected: expected) }
    return info
  }

  /// Starts to download the first range, or the whole object if it is small, empty or processed by the service.
  ///
  /// Also returns the description of the whole object, with its checksum if the service reports it.
  private func openFirstRange() async throws -> (first: DownloadedObject, info: ObjectInfo) {
    var firstOptions = options
    let length = max(bucket.configuration.multipartThreshold, bucket.configuration.partSize)
    var info: ObjectInfo?
    if options.range == nil, options.parameters.isEmpty {
      firstOptions.range = ByteRange(0..<length)
      // If the response to a range request does not contain the checksum of the whole object, it is requested first.
      if !bucket.provider.conventions.rangesTellChecksum {
        info = try await bucket.infoIfPermitted(key, options: options)
        if let size = info?.size, size <= length { firstOptions.range = nil }
        if options.ifMatch == nil {
          firstOptions.ifMatch = try info?.etag.map { try ResponseValue($0, named: "ETag").text }
        }
      }
    }
    let first: DownloadedObject
    do {
      first = try await bucket.fetch(key, options: firstOptions)
    } catch let error as ServiceError where error.kind == .invalidRange && options.range == nil {
      // An empty object has no first byte.
      first = try await bucket.fetch(key, options: options)
    }
    return (first, info ?? first.info)
  }

  private func writeRanges(
    startingWith first: DownloadedObject, length: Int64, size: Int64, _ algorithm: ObjectChecksum.Algorithm,
    _ meter: ProgressMeter
  ) async throws -> [WrittenRange] {
    let sizes = try PartSizes(length: size, preferred: bucket.configuration.partSize)
    return try await withThrowingTaskGroup(of: WrittenRange.self) { group in
      var writtenRanges: [WrittenRange] = []
      group.addTask { try await write(first.body, at: 0, algorithm, meter) }
      for (index, range) in sizes.ranges(of: size, from: length).enumerated() {
        let startedCount = index + 1
        if startedCount - writtenRanges.count >= bucket.configuration.partsInFlight, let next = try await group.next() {
          writtenRanges.append(next)
        }
        group.addTask {
          let object = try await bucket.fetch(range, of: first.info, options)
          return try await write(object.body, at: range.lowerBound, algorithm, meter)
        }
      }
      for try await range in group { writtenRanges.append(range) }
      return writtenRanges
    }
  }

  private func write(
    _ body: ByteStream, at start: Int64, _ algorithm: ObjectChecksum.Algorithm, _ meter: ProgressMeter
  ) async throws -> WrittenRange {
    try await file.write(body, at: start, algorithm) { meter.advance(by: $1) }
  }
}

extension BucketClient {
  /// Starts to download a range of an object, which must be the described object without changes.
  func fetch(_ range: Range<Int64>, of info: ObjectInfo, _ options: DownloadOptions) async throws -> DownloadedObject {
    let options = DownloadOptions(
      range: ByteRange(range),
      versionID: try info.versionID.map { try ResponseValue($0, named: "version").text } ?? options.versionID,
      ifMatch: try info.etag.map { try ResponseValue($0, named: "ETag").text }, headers: options.headers)
    let object = try await fetch(info.key, options: options)
    guard object.contentLength == range.byteCount, object.info.size == info.size else {
      throw StorageError.malformedResponse("it is not the requested range")
    }
    return object
  }

  /// Returns a response body that continues with another request if the connection is lost.
  ///
  /// A download is not continued without a strong entity tag or a version, nor if the service processes the object.
  func resumed(
    _ received: HTTPStreamingResponse, _ info: ObjectInfo, _ options: DownloadOptions, length: Int64?
  ) -> ByteStream {
    let key = info.key
    let version = info.versionID ?? options.versionID
    guard let length, options.parameters.isEmpty, version != nil || info.hasStrongTag,
      ResponseValue.isSendable(version), ResponseValue.isSendable(info.etag),
      let start = received.response.firstByteOffset, let end = start.checkedAdding(length)
    else { return received.body }
    let identicalObject = DownloadOptions(versionID: version, ifMatch: info.etag, headers: options.headers)
    let subject = "GET \(sender.location(ofKey: key))"
    let plan = RetryPlan(configuration, isRepeatable: true)
    return received.body.resuming(plan, length: length) { [self] receivedCount, step, attempt in
      sender.events.emit(.retry(.init(subject: subject, attempt: attempt, delay: step.delay, reason: step.reason)))
      try await sender.time.sleep(for: step.delay)
      var options = identicalObject
      let nextOffset = start + receivedCount
      options.range = ByteRange(nextOffset..<end)
      let received = try await sender.send(draft(options, for: key))
      guard received.response.status == .partialContent, received.response.firstByteOffset == nextOffset else {
        throw StorageError.malformedResponse("it is not the requested range")
      }
      return received.body
    }
  }
}

extension HTTPResponse {
  fileprivate var firstByteOffset: Int64? {
    guard status == .partialContent else { return 0 }
    return headerFields[.contentRange]?.split(separator: " ").last?.split(separator: "-").first.flatMap {
      Int64(digits: $0)
    }
  }
}

extension TransportError {
  /// The error for a body that ended early without an error of the transport, which may not know the expected length.
  fileprivate static let endedEarly = TransportError(
    .connectionLost, "The response ended early.", remedy: "Download it again.")
}

/// The number of received bytes after which an attempt counts as successful, so that the retry plan starts anew.
///
/// During the hours that a large object can take, more connections can be lost than one request has retries.
private let restartByteCount: Int64 = 1 << 20

extension ByteStream {
  /// Returns the stream, continued with the stream that `reopen` returns if the connection is lost.
  fileprivate func resuming(_ plan: RetryPlan, length: Int64, reopen: @escaping ResumedChunks.Reopen) -> ByteStream {
    ByteStream(chunks: { [self] in
      var chunks = ResumedChunks(
        plan: plan, length: length, reopen: reopen, iterator: makeAsyncIterator(), remainingPlan: plan)
      return { try await chunks.next() }
    })
  }
}

/// The chunks of a body of known length, which come from several streams if connections are lost.
private struct ResumedChunks {
  typealias Reopen = @Sendable (_ receivedCount: Int64, RetryPlan.Step, _ attempt: Int) async throws -> ByteStream

  let plan: RetryPlan
  let length: Int64
  let reopen: Reopen
  var iterator: ByteStream.AsyncIterator
  var remainingPlan: RetryPlan
  var receivedCount: Int64 = 0
  var countAtResumption: Int64 = 0

  mutating func next() async throws -> (any ByteChunk)? {
    while true {
      var failure: TransportError?
      do {
        if let chunk = try await iterator.nextChunk() {
          receivedCount += Int64(chunk.byteCount)
          return chunk
        }
      } catch let error as TransportError where error.isRetryable {
        failure = error
      }
      if receivedCount >= length { return nil }
      if receivedCount - countAtResumption >= restartByteCount { remainingPlan = plan }
      guard let step = remainingPlan.scheduleRetry(after: failure ?? .endedEarly) else {
        if let failure { throw failure }
        return nil
      }
      remainingPlan.attempts += 1
      countAtResumption = receivedCount
      iterator = try await reopen(receivedCount, step, remainingPlan.attempts).makeAsyncIterator()
    }
  }
}
