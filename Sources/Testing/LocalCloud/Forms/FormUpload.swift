// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth

/// A form upload (POST object).
///
/// The upload reads the form's fields, verifies the form, and then stores the file.
struct FormUpload: Sendable {
  /// The maximum number of parts of a form; `fieldByteLimit` is the maximum size of all fields together, in bytes.
  private static let partLimit = 100
  private static let fieldByteLimit = 64 * 1024

  /// The name of the bucket that the form was posted to.
  let bucket: String
  private let boundary: String

  /// Creates a form upload from a request head, or returns `nil` if the request is not a form upload.
  ///
  /// - Throws: An error response if the form has no readable boundary, the target of the request is invalid, or the
  ///   bucket name is invalid.
  init?(_ head: HTTPRequest, at service: SimulatedService) throws(ErrorResponse) {
    guard head.method == .post, !(head.path ?? "").utf8.contains(UInt8(ascii: "?")),
      let text = head.headerFields[.contentType], text.asciiLowercased.hasBytePrefix("multipart/form-data")
    else { return nil }
    let target: RequestTarget
    do {
      target = try service.behavior.target(of: head)
    } catch {
      throw .invalidArgument(error.message)
    }
    guard let bucket = target.bucket?.string, target.key == nil else { return nil }
    guard head.headerFields[values: .contentType].count == 1, let type = HeaderParameters(text),
      type.value == "multipart/form-data", let boundary = type["boundary"], Self.isBoundary(boundary)
    else { throw .malformedForm("The Content-Type has no valid boundary.") }
    guard service.isBucketName(bucket) else { throw .invalidBucketName(bucket) }
    self.bucket = bucket
    self.boundary = boundary
  }

  /// Returns whether a string is a valid multipart boundary (RFC 2046, section 5.1.1).
  private static func isBoundary(_ text: String) -> Bool {
    (1...70).contains(text.utf8.count) && text.last != " "
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
      }
  }

  /// A form upload whose fields were read and verified, but whose file hasn't been read yet.
  struct Opened {
    let verified: VerifiedForm
    fileprivate var reader: MultipartReader<RequestBody.AsyncIterator>
    fileprivate var parts: Int
    fileprivate var left: Int
  }

  /// Reads the form's fields up to the file, and verifies the form.
  @concurrent
  func open(
    _ body: RequestBody, _ verify: (SubmittedForm) async throws -> VerifiedForm
  ) async throws -> Opened {
    var reader = MultipartReader(body.makeAsyncIterator(), boundary: boundary)
    var fields: [FormField] = []
    var left = Self.fieldByteLimit
    while let part = try await reader.nextPart() {
      guard !part.isFile else {
        let form = SubmittedForm(bucket: bucket, fields: fields, fileName: part.fileName, fileType: part.contentType)
        return Opened(verified: try await verify(form), reader: reader, parts: fields.count, left: left)
      }
      left -= part.name.utf8.count
      guard fields.count < Self.partLimit else { throw ErrorResponse.formTooLong }
      fields.append(FormField(part.name, try await reader.text(upTo: &left)))
    }
    throw ErrorResponse.invalidArgument("POST requires exactly one file upload per request.")
  }

  /// Stores the file of a form and reads the rest of the form.
  ///
  /// The file's size must be within the range that the form's policy allows. Fields after the file are ignored.
  @concurrent
  func store(
    _ form: consuming Opened, in blobs: BlobStore, _ expectation: BodyExpectation
  ) async throws -> BlobStore.Written {
    var form = form
    let sizes = form.verified.sizes
    return try await blobs.write(expectation) { writer in
      var byteCount: Int64 = 0
      while let chunk = try await form.reader.nextChunk() {
        byteCount += Int64(chunk.readableBytes)
        guard byteCount <= sizes.upperBound else { throw ErrorResponse.entityTooLarge(limit: sizes.upperBound) }
        try await writer.append(chunk)
      }
      guard byteCount >= sizes.lowerBound else {
        throw ErrorResponse.entityTooSmall(byteCount: byteCount, limit: sizes.lowerBound)
      }
      while let part = try await form.reader.nextPart() {
        form.parts += 1
        guard form.parts <= Self.partLimit else { throw ErrorResponse.formTooLong }
        if part.isFile {
          throw ErrorResponse.invalidArgument("POST requires exactly one file upload per request.")
        }
        try await form.reader.skip(upTo: &form.left)
      }
    }
  }
}

extension ErrorResponse {
  fileprivate static func entityTooLarge(limit: Int64) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size.",
      details: [Detail(name: "MaxSizeAllowed", value: String(limit))])
  }

  fileprivate static func entityTooSmall(byteCount: Int64, limit: Int64) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size.",
      details: [
        Detail(name: "ProposedSize", value: String(byteCount)), Detail(name: "MinSizeAllowed", value: String(limit)),
      ])
  }
}
