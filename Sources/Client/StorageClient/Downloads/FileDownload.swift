// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import SystemPackage

/// A download of an object into a file, whose first range determines the size; the other ranges follow concurrently.
struct FileDownload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let options: DownloadOptions
  let file: FileReplacement
  let ledger: TransferLedger

  private typealias Piece = DownloadCheckpoint.WrittenRange

  /// Downloads the object, or the range that the options select, and returns the object's description.
  func download() async throws -> ObjectInfo {
    let (object, whole) = try await first()
    let meter = ledger.meter(total: object.info.size ?? object.contentLength)
    let algorithm = whole.checksum?.algorithm ?? bucket.provider.conventions.algorithm
    guard options.range == nil, let total = object.info.size, let length = object.contentLength, length < total else {
      _ = try await write(object.body, at: 0, algorithm, meter)
      return object.info
    }
    let pieces = try await pieces(object, length: length, total: total, algorithm, meter)
    let checksum = pieces.sorted { $0.offset < $1.offset }.reduce(ObjectChecksum(algorithm, of: [])) {
      $0.followed(by: $1.checksum, byteCount: $1.length)
    }
    if let expected = whole.checksum { try checkChecksum(of: "the object \(key)", checksum, expected: expected) }
    return whole
  }

  /// Starts to download the first range, or the whole object if it is empty or processed and has no ranges.
  private func first() async throws -> (DownloadedObject, whole: ObjectInfo) {
    var ranged = options
    let length = max(bucket.configuration.multipartThreshold, bucket.configuration.partSize)
    var whole: ObjectInfo?
    if options.range == nil, options.parameters.isEmpty {
      ranged.range = ByteRange(0..<length)
      if !bucket.provider.conventions.rangesTellChecksum {
        whole = try await bucket.described(key, options: options)
        if let size = whole?.size, size <= length { ranged.range = nil }
        if options.ifMatch == nil { ranged.ifMatch = try whole?.etag.map { try ResponseValue($0, named: "ETag").text } }
      }
    }
    let object: DownloadedObject
    do {
      object = try await bucket.fetch(key, options: ranged)
    } catch let error as ServiceError where error.kind == .invalidRange && options.range == nil {
      object = try await bucket.fetch(key, options: options)
    }
    return (object, whole ?? object.info)
  }

  private func pieces(
    _ first: DownloadedObject, length: Int64, total: Int64, _ algorithm: ObjectChecksum.Algorithm,
    _ meter: ProgressMeter
  ) async throws -> [Piece] {
    let sizes = try PartSizes(length: total, preferred: bucket.configuration.partSize)
    return try await withThrowingTaskGroup(of: Piece.self) { group in
      var pieces: [Piece] = []
      group.addTask { try await write(first.body, at: 0, algorithm, meter) }
      for (index, range) in sizes.ranges(of: total, from: length).enumerated() {
        if index + 1 - pieces.count >= bucket.configuration.partsInFlight, let piece = try await group.next() {
          pieces.append(piece)
        }
        group.addTask {
          let object = try await bucket.fetch(range, of: first.info, options)
          return try await write(object.body, at: range.lowerBound, algorithm, meter)
        }
      }
      for try await piece in group { pieces.append(piece) }
      return pieces
    }
  }

  private func write(
    _ body: ByteStream, at start: Int64, _ algorithm: ObjectChecksum.Algorithm, _ meter: ProgressMeter
  ) async throws -> Piece {
    try await file.write(body, at: start, algorithm) { meter.advance(by: $1) }
  }
}

extension BucketClient {
  /// Starts to download a range of the identical object that a description belongs to.
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
  /// Only a download of the identical object is continued. A download is not resumed if the response has neither a
  /// strong entity tag nor a version, or if the service processes the object.
  func resumed(
    _ received: HTTPStreamingResponse, _ info: ObjectInfo, _ options: DownloadOptions, length: Int64?
  ) -> ByteStream {
    let key = info.key
    let version = info.versionID ?? options.versionID
    guard let length, options.parameters.isEmpty, version != nil || info.etag.map({ !$0.hasBytePrefix("W/") }) == true,
      ResponseValue.isSendable(version), ResponseValue.isSendable(info.etag), let start = received.response.firstByte,
      let end = start.checkedAdding(length)
    else { return received.body }
    let rest = DownloadOptions(versionID: version, ifMatch: info.etag, headers: options.headers)
    let subject = "GET \(sender.location(ofKey: key))"
    let plan = RetryPlan(configuration, isRepeatable: true)
    return received.body.resuming(plan, length: length) { [self] count, step, number in
      sender.events.emit(.retry(.init(subject: subject, attempt: number, delay: step.delay, reason: step.reason)))
      try await sender.time.sleep(for: step.delay)
      var options = rest
      options.range = ByteRange(start + count..<end)
      let received = try await sender.send(draft(options, for: key))
      guard received.response.status == .partialContent, received.response.firstByte == start + count else {
        throw StorageError.malformedResponse("it is not the requested range")
      }
      return received.body
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
private let restartByteCount: Int64 = 1 << 20

extension ByteStream {
  /// Returns the stream, continued with another stream if the connection is lost.
  ///
  /// The closure `reopen` receives the number of received bytes, the step and the number of the attempt. It waits for the
  /// delay of the step, and returns a stream of the other bytes.
  fileprivate func resuming(
    _ plan: RetryPlan, length: Int64,
    reopen: @escaping @Sendable (Int64, RetryPlan.Step, Int) async throws -> ByteStream
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
          if count - resumedAt >= restartByteCount { current = plan }
          guard let step = current.step(after: failure ?? .endedEarly) else {
            if let failure { throw failure }
            return nil
          }
          current.attempts += 1
          resumedAt = count
          iterator = try await reopen(count, step, current.attempts).makeAsyncIterator()
        }
      }
    })
  }
}
