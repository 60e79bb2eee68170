// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth

/// A request body as operations read it, without inner framing such as `aws-chunked`.
struct CallBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  private let base: RequestBody
  private let reader: (any BodyReader)?
  private let refusal: @Sendable (VerificationError) -> ErrorResponse

  /// Creates a body for an operation from a request body.
  ///
  /// - Parameters:
  ///   - base: The bytes of the request body.
  ///   - reader: The reader that removes the framing, or `nil` if the request body is not framed.
  ///   - refusal: A closure that converts the reader's error to an error response.
  init(
    _ base: RequestBody, reader: (any BodyReader)?, refusal: @escaping @Sendable (VerificationError) -> ErrorResponse
  ) {
    self.base = base
    self.reader = reader
    self.refusal = refusal
  }

  /// Whether the request body has inner framing, so that its bytes differ from the object's bytes.
  var isFramed: Bool { reader != nil }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), reader: reader, refusal: refusal)
  }

  struct Iterator: AsyncIteratorProtocol {
    private var base: RequestBody.AsyncIterator
    private var reader: (any BodyReader)?
    private let refusal: @Sendable (VerificationError) -> ErrorResponse

    init(
      base: RequestBody.AsyncIterator, reader: (any BodyReader)?,
      refusal: @escaping @Sendable (VerificationError) -> ErrorResponse
    ) {
      self.base = base
      self.reader = reader
      self.refusal = refusal
    }

    mutating func next() async throws -> ByteBuffer? { try await next(isolation: #isolation) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ByteBuffer? {
      while let chunk = try await base.next(isolation: actor) {
        guard reader != nil else { return chunk }
        let bytes = try read(chunk)
        if bytes.readableBytes > 0 { return bytes }
      }
      do throws(VerificationError) { try reader?.finish() } catch { throw refusal(error) }
      reader = nil
      return nil
    }

    private mutating func read(_ chunk: ByteBuffer) throws(ErrorResponse) -> ByteBuffer {
      do throws(VerificationError) { return try reader?.read(chunk) ?? chunk } catch { throw refusal(error) }
    }
  }
}
