// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// A part of a multipart upload in the service's list of parts.
struct StoredPart: Sendable {
  let number: Int
  let etag: AnswerValue
  let length: Int64
}

extension MultipartUpload {
  /// Requests the list of the parts that the service has stored.
  ///
  /// - Throws: `ServiceError` of the kind `noSuchUpload` if the upload was completed or aborted.
  func storedParts() async throws -> [StoredPart] {
    var parts: [StoredPart] = []
    var marker = 0
    while true {
      var parameters: [RequestTarget.Parameter] = [.init("uploadId", id.text), .init("max-parts", "1000")]
      if marker > 0 { parameters.append(.init("part-number-marker", "\(marker)")) }
      let (_, answer) = try await bucket.document(
        from: bucket.draft(.get, key, parameters, headers: fields(of: .head)), named: "ListPartsResult")
      try require(identityIn: answer)
      // The first marker is 0, so that the numbers ascend across the pages as well.
      for node in answer.all("Part") {
        let part = try StoredPart(node)
        guard part.number > max(marker, parts.last?.number ?? 0) else {
          throw StorageError.contradiction("the part numbers do not ascend at part \(part.number)")
        }
        parts.append(part)
      }
      guard try answer.isTruncated() else { return parts }
      guard let next = try answer.text("NextPartNumberMarker").flatMap({ Int($0) }), next > marker,
        next <= PartSizes.mostParts
      else { throw StorageError.malformedAnswer("a truncated list of parts has no next part") }
      marker = next
    }
  }

  /// Requires that a document is about this upload: its bucket, its key, and its ID.
  private func require(identityIn answer: ServiceDocument) throws(StorageError) {
    try answer.requireBucket("Bucket", bucket.provider.bucket)
    try answer.require("Key", key)
    // COS also spells the element UploadID.
    try answer.require(answer.text("UploadID") == nil ? "UploadId" : "UploadID", id.text)
  }

  /// Returns the description of the object if an earlier process completed the upload, or `nil` if the service has
  /// another object or none.
  func completed(_ parts: [Part], unless error: ServiceError) async throws -> UploadedObject? {
    do {
      return try await stored(parts.sorted { $0.number < $1.number }, unless: error)
    } catch let error as ServiceError where error.kind == .noSuchUpload || error.kind == .noSuchKey {
      return nil
    }
  }
}

extension UploadPayload {
  /// Returns the MD5 digest in hexadecimal and the checksum of the payload, which is read once.
  func identified(_ algorithm: ObjectChecksum.Algorithm) async throws -> (md5: String, checksum: ObjectChecksum) {
    var md5 = MD5()
    var crc = CRC(algorithm.crc)
    let chunks = stream.makeAsyncIterator()
    while let chunk = try await chunks.nextChunk() {
      chunk.withSpan { bytes in
        md5.update(bytes)
        crc.update(bytes)
      }
    }
    return (md5.finalize().hex, ObjectChecksum(algorithm, crc.checksum))
  }
}

extension StoredPart {
  fileprivate init(_ node: XMLNode) throws(StorageError) {
    guard let number = try node.text(ofOnly: "PartNumber").flatMap({ Int($0) }), number > 0,
      number <= PartSizes.mostParts, let length = try node.text(ofOnly: "Size").flatMap({ Int64(digits: $0) }),
      let etag = try node.text(ofOnly: "ETag")
    else { throw StorageError.malformedAnswer("a listed part has no number, size or ETag") }
    self.init(number: number, etag: try AnswerValue(etag, named: "ETag"), length: length)
  }
}
