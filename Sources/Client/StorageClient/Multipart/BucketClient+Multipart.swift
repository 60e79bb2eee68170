// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension BucketClient {
  /// Uploads parts concurrently and completes the multipart upload.
  ///
  /// If an error occurs, the multipart upload is aborted.
  func uploadInParts(
    _ source: some PartSource, to key: String, fields: HTTPFields, length: Int64?, progress: ProgressMeter
  ) async throws -> UploadedObject {
    let upload = try await MultipartUpload.begin(self, key: key, fields: fields)
    do {
      let parts = try await uploadAll(source, of: upload, progress: progress)
      if let length, parts.reduce(0, { $0 + $1.length }) != length {
        throw StorageError(
          .sourceChanged, "The stream did not have the \(length) bytes that were announced.",
          remedy: "Give the length only if it is certain.")
      }
      return try await upload.complete(parts)
    } catch let error as ServiceError where error.isStored {
      throw error
    } catch {
      await upload.abort()
      throw error
    }
  }

  /// Uploads parts within the concurrency limit.
  ///
  /// A part is taken from the source only when it can be sent.
  ///
  /// - Parameters:
  ///   - source: The source of the parts to send.
  ///   - upload: The multipart upload that the parts belong to.
  ///   - progress: The meter that counts the bytes of the parts.
  ///   - didUpload: A closure that receives each part that the service has stored, one call at a time.
  /// - Returns: The parts, in the order in which they were stored.
  func uploadAll(
    _ source: some PartSource, of upload: MultipartUpload<Provider>, progress: ProgressMeter,
    didUpload: (MultipartUpload<Provider>.Part) async throws -> Void = { _ in }
  ) async throws -> [MultipartUpload<Provider>.Part] {
    try await withThrowingTaskGroup(of: MultipartUpload<Provider>.Part.self) { group in
      var source = source
      var parts: [MultipartUpload<Provider>.Part] = []
      var started = 0
      while true {
        if started - parts.count >= configuration.partsInFlight, let part = try await group.next() {
          parts.append(part)
          try await didUpload(part)
        }
        guard let next = try await source.next() else { break }
        started += 1
        guard next.number <= PartSizes.mostParts else {
          throw StorageError(
            .tooLarge, "The stream needs more than \(PartSizes.mostParts) parts.",
            remedy: "Give its length, or choose a larger part size.")
        }
        group.addTask { try await upload.upload(next.payload, number: next.number, progress: progress) }
      }
      for try await part in group {
        parts.append(part)
        try await didUpload(part)
      }
      return parts
    }
  }
}
