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
      let (_, body) = try await bucket.client.exchange(
        bucket.draft(.get, key, parameters, headers: fields(of: .head)))
      let answer = try XMLNode.answer(body)
      parts += try answer.all("Part").map { node throws(StorageError) in try StoredPart(node) }
      guard answer["IsTruncated"]?.text == "true" else { return parts }
      guard let next = answer["NextPartNumberMarker"].flatMap({ Int($0.text) }), next > marker,
        next <= PartSizes.mostParts
      else { throw StorageError.malformedAnswer("a truncated list of parts has no next part") }
      marker = next
    }
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
    guard let number = node["PartNumber"].flatMap({ Int($0.text) }), number > 0,
      let length = node["Size"].flatMap({ Int64(digits: $0.text) }), let etag = node["ETag"]?.text
    else { throw StorageError.malformedAnswer("a listed part has no number, size or ETag") }
    self.init(number: number, etag: try AnswerValue(etag, named: "ETag"), length: length)
  }
}
