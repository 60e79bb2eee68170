// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A download of an object into a file: the response for the first range reports the size, and the others follow.
struct FileDownload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let options: DownloadOptions
  let file: FileReplacement
  let ledger: TransferLedger

  private typealias WrittenRange = DownloadCheckpoint.WrittenRange

  /// The number of bytes to request first; an object that is not longer needs no other request.
  private var firstRangeLength: Int64 { max(bucket.configuration.multipartThreshold, bucket.configuration.partSize) }

  func download() async throws -> ObjectInfo {
    let (first, info) = try await openFirstRange()
    let meter = ledger.meter(total: first.info.size ?? first.contentLength)
    let algorithm = info.checksum?.algorithm ?? bucket.provider.conventions.algorithm
    guard options.range == nil, let size = first.info.size, let length = first.contentLength, length < size else {
      let written = try await write(first.body, at: 0, algorithm, meter)
      if options.range == nil, first.info.headers.contains(.contentRange) { try requireWhole(written, of: first.info) }
      return first.info
    }
    let ranges = try await writeRanges(startingWith: first, length: length, size: size, algorithm, meter)
    try ranges.sorted { $0.offset < $1.offset }.requireChecksum(of: info, algorithm)
    return info
  }

  /// Throws an error if the first range, whose response does not tell its length or the object's, may not be the whole.
  private func requireWhole(_ written: WrittenRange, of info: ObjectInfo) throws(StorageError) {
    let isWhole = info.size.map { written.length >= $0 } ?? (written.length < firstRangeLength)
    guard isWhole else { throw StorageError.malformedResponse("a range has no length, or its object has no size") }
  }

  /// Starts to download the first range, or the whole object if it is small, empty or processed by the service.
  ///
  /// Also returns the description of the whole object, with its checksum if the service reports it.
  private func openFirstRange() async throws -> (first: DownloadedObject, info: ObjectInfo) {
    var firstOptions = options
    var info: ObjectInfo?
    if options.range == nil, options.parameters.isEmpty {
      firstOptions.range = ByteRange(0..<firstRangeLength)
      // If the response to a range request does not contain the checksum of the whole object, it is requested first.
      if !bucket.provider.conventions.rangesTellChecksum {
        info = try await bucket.infoIfPermitted(key, options: options)
        if let size = info?.size, size <= firstRangeLength { firstOptions.range = nil }
        if options.ifMatch == nil {
          firstOptions.ifMatch = try info?.etag.map { try ResponseValue($0, named: "ETag").text }
        }
      }
    }
    let first: DownloadedObject
    do {
      first = try await bucket.fetch(key, options: firstOptions, requiresRange: options.range != nil)
    } catch let error as ServiceError where error.kind == .invalidRange && options.range == nil {
      // An empty object has no first byte.
      first = try await bucket.fetch(key, options: options)
    }
    return (first, info ?? first.info)
  }

  /// Writes the first range and the others within the concurrency limit, and returns them in any order.
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
  ) async throws -> WrittenRange { try await file.write(body, at: start, algorithm) { meter.advance(by: $1) } }
}

extension BucketClient {
  /// Starts to download a range of an object, which must be the described object without changes.
  func fetch(_ range: Range<Int64>, of info: ObjectInfo, _ options: DownloadOptions) async throws -> DownloadedObject {
    let options = DownloadOptions(
      range: ByteRange(range),
      versionID: try info.versionID.map { try ResponseValue($0, named: "version").text } ?? options.versionID,
      ifMatch: try info.etag.map { try ResponseValue($0, named: "ETag").text }, headers: options.headers)
    let object = try await fetch(info.key, options: options, requiresRange: true)
    guard object.contentLength == range.byteCount, object.info.size == info.size else { throw StorageError.wrongRange }
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
    let endsAtHead = RequestGate.endsAtHead
    return received.body.resuming(plan, length: length) { [self] receivedCount, step, attempt in
      sender.events.emit(.retry(.init(subject: subject, attempt: attempt, delay: step.delay, reason: step.reason)))
      try await sender.time.sleep(for: step.delay)
      var options = identicalObject
      let nextOffset = start + receivedCount
      options.range = ByteRange(nextOffset..<end)
      let received = try await RequestGate.$endsAtHead.withValue(endsAtHead) { [options] in
        try await sender.send(draft(options, for: key))
      }
      let isRange = received.response.status == .partialContent
      guard isRange, received.response.firstByteOffset == nextOffset else { throw StorageError.wrongRange }
      return received.body
    }
  }
}

extension StorageError { static let wrongRange = malformedResponse("it is not the requested range") }

extension [DownloadCheckpoint.WrittenRange] {
  /// Throws an error if the ranges, which follow each other from the start of an object, have another checksum than it.
  func requireChecksum(of info: ObjectInfo, _ algorithm: ObjectChecksum.Algorithm) throws(StorageError) {
    guard let expected = info.checksum else { return }
    let checksum = reduce(ObjectChecksum(algorithm, of: [])) { $0.followed(by: $1.checksum, byteCount: $1.length) }
    try checkChecksum(of: "the object \(info.key)", checksum, expected: expected)
  }
}

extension HTTPResponse {
  /// Returns whether the body is a range of an object: with its bounds, or the whole object if the range selects it.
  ///
  /// A lenient comparison accepts any whole object, fewer bytes of the range, and a response that tells no bounds.
  func hasBytes(of range: ByteRange, _ size: Int64?, isLenient: Bool) -> Bool {
    guard status == .partialContent else {
      let size = size ?? .max
      return isLenient || (range.bytes(of: size) ?? 0..<0) == 0..<size
    }
    guard let start = firstByteOffset else { return isLenient }
    let end = contentLength.flatMap { start.checkedAdding($0) }
    guard let wanted = range.bytes(of: size ?? end ?? .max), start == wanted.lowerBound else { return false }
    return end.map { isLenient ? $0 <= wanted.upperBound : $0 == wanted.upperBound } ?? true
  }

  /// The offset of the first byte of the body in the object, or `nil` if the response does not tell it.
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
        fullPlan: plan, length: length, reopen: reopen, iterator: makeAsyncIterator(), plan: plan)
      return { try await chunks.next() }
    })
  }
}

/// The chunks of a body of known length, which come from several streams if connections are lost.
private struct ResumedChunks {
  typealias Reopen = @Sendable (_ receivedCount: Int64, RetryPlan.Step, _ attempt: Int) async throws -> ByteStream

  let fullPlan: RetryPlan
  let length: Int64
  let reopen: Reopen
  var iterator: ByteStream.AsyncIterator
  /// The retries that remain until enough bytes have been received for all retries to be possible again.
  var plan: RetryPlan
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
      } catch let error as TransportError where error.isRetryable { failure = error }
      if receivedCount >= length { return nil }
      if receivedCount - countAtResumption >= restartByteCount { plan = fullPlan }
      guard let step = plan.scheduleRetry(after: failure ?? .endedEarly) else {
        if let failure { throw failure }
        // The caller compares the number of bytes with the length.
        return nil
      }
      plan.attemptNumber += 1
      countAtResumption = receivedCount
      iterator = try await reopen(receivedCount, step, plan.attemptNumber).makeAsyncIterator()
    }
  }
}
