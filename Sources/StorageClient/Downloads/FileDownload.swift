internal import StorageCrypto
internal import SystemPackage

/// Brings an object into a file: the first range says how much there is, the others follow several at a time.
struct FileDownload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let options: DownloadOptions
  let file: FileReplacement
  let ledger: TransferLedger

  /// A range that has been written, with its checksum.
  private struct Piece: Sendable {
    let offset: Int64
    let length: Int64
    let checksum: UInt64
  }

  /// Downloads everything.
  func run() async throws -> ObjectInfo {
    let object = try await first()
    let meter = ledger.meter(total: object.info.size ?? object.contentLength)
    guard options.range == nil, let total = object.info.size, let length = object.contentLength, length < total else {
      _ = try await write(object.body, at: 0, meter)
      return object.info
    }
    let pieces = try await pieces(object, length: length, total: total, meter)
    let checksum = pieces.sorted { $0.offset < $1.offset }.reduce(CRC64().checksum) { checksum, piece in
      CRC64.combine(checksum, piece.checksum, byteCount: UInt64(piece.length))
    }
    if let expected = object.info.checksum { try check("the object \(key)", checksum, expected) }
    return object.info
  }

  /// The first range, or all of an object that has no ranges: one that is empty, or one that is processed.
  private func first() async throws -> DownloadedObject {
    guard options.range == nil, options.parameters.isEmpty else { return try await bucket.fetch(key, options: options) }
    var ranged = options
    ranged.range = ByteRange(0..<max(bucket.configuration.multipartThreshold, bucket.configuration.partSize))
    do {
      return try await bucket.fetch(key, options: ranged)
    } catch let error as ServiceError where error.kind == .invalidRange {
      return try await bucket.fetch(key, options: options)
    }
  }

  private func pieces(
    _ first: DownloadedObject, length: Int64, total: Int64, _ meter: ProgressMeter
  ) async throws -> [Piece] {
    let sizes = try PartSizes(length: total, preferred: bucket.configuration.partSize)
    return try await withThrowingTaskGroup(of: Piece.self) { group in
      var pieces: [Piece] = []
      group.addTask { try await write(first.body, at: 0, meter) }
      for (index, range) in sizes.ranges(of: total, from: length).enumerated() {
        if index + 1 - pieces.count >= bucket.configuration.partsInFlight, let piece = try await group.next() {
          pieces.append(piece)
        }
        group.addTask { try await download(range, of: first.info, meter) }
      }
      for try await piece in group { pieces.append(piece) }
      return pieces
    }
  }

  /// Downloads a further range of the very object that the first one came from.
  private func download(_ range: Range<Int64>, of info: ObjectInfo, _ meter: ProgressMeter) async throws -> Piece {
    let options = DownloadOptions(
      range: ByteRange(range),
      versionID: try info.versionID.map { try AnswerValue($0, named: "version").text } ?? options.versionID,
      ifMatch: try info.etag.map { try AnswerValue($0, named: "ETag").text }, headers: options.headers)
    let object = try await bucket.fetch(key, options: options)
    guard object.contentLength == range.upperBound - range.lowerBound, object.info.size == info.size else {
      throw StorageError.malformedAnswer("it is not the range that was asked for")
    }
    return try await write(object.body, at: range.lowerBound, meter)
  }

  private func write(_ body: ByteStream, at start: Int64, _ meter: ProgressMeter) async throws -> Piece {
    let written = try await file.write(body, at: start) { meter.advance(by: $0) }
    return Piece(offset: start, length: written.length, checksum: written.checksum)
  }
}
