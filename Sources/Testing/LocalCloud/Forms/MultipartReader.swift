// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore
internal import StorageAuth

/// A streaming parser of `multipart/form-data` bodies (RFC 7578, RFC 2046).
///
/// The parser is stricter than the standards where implementations differ. The body must start with the boundary, lines
/// must end in CR LF, only a line end may follow the last boundary, and headers must not be folded. The parser keeps at
/// most one chunk of the body and the headers of one part in memory.
struct MultipartReader<Base: AsyncIteratorProtocol> where Base.Element == ByteBuffer {
  /// The maximum size of a part's headers, in bytes.
  private static var headByteLimit: Int { 8 * 1024 }

  private enum Place {
    case start, content, delimiter, end
  }

  private var base: Base
  private let delimiter: [UInt8]
  private var pending = ByteBuffer(string: "\r\n")
  private var location = Place.start

  init(_ base: Base, boundary: String) {
    self.base = base
    delimiter = Array("\r\n--\(boundary)".utf8)
  }

  /// Skips the rest of the current part and returns the headers of the next part, or `nil` after the last part.
  mutating func nextPart() async throws -> PartHead? {
    if location == .end { return nil }
    if location == .start {
      guard try await read(delimiter.count) == delimiter else {
        throw ErrorResponse.malformedForm("The body does not begin with the boundary.")
      }
      location = .delimiter
    }
    while location == .content { _ = try await nextChunk() }
    switch try await read(2) {
    case Array("\r\n".utf8):
      var lines: [String] = []
      var left = Self.headByteLimit
      while let line = try await line(upTo: &left) { lines.append(line) }
      let head = try PartHead(lines)
      location = .content
      return head
    case Array("--".utf8):
      try await end()
      return nil
    default:
      throw ErrorResponse.malformedForm("A boundary is not followed by a line end.")
    }
  }

  /// Returns the next bytes of the current part's content, or `nil` at the end of the content.
  mutating func nextChunk() async throws -> ByteBuffer? {
    while location == .content {
      let view = pending.readableBytesView
      var search = view.startIndex
      var safe = view.endIndex
      while let candidate = view[search...].firstIndex(of: UInt8(ascii: "\r")) {
        let found = view[candidate...].prefix(delimiter.count)
        if found.elementsEqual(delimiter) {
          location = .delimiter
          let content = pending.readSlice(length: candidate - view.startIndex)
          pending.moveReaderIndex(forwardBy: delimiter.count)
          return content.flatMap { $0.readableBytes > 0 ? $0 : nil }
        }
        if found.count < delimiter.count, delimiter.starts(with: found) {
          safe = candidate
          break
        }
        search = candidate + 1
      }
      if safe > view.startIndex, let chunk = pending.readSlice(length: safe - view.startIndex) { return chunk }
      try await readMore()
    }
    return nil
  }

  /// Reads the rest of the current part's content as a UTF-8 string.
  ///
  /// - Parameter left: The number of bytes that may still be read. The function subtracts the number of bytes that it
  ///   reads.
  mutating func text(upTo left: inout Int) async throws -> String {
    var bytes: [UInt8] = []
    while let chunk = try await nextChunk() {
      left -= chunk.readableBytes
      guard left >= 0 else { throw ErrorResponse.formTooLong }
      bytes += chunk.readableBytesView
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ErrorResponse.malformedForm("A field is not UTF-8.")
    }
    return text
  }

  /// Skips the rest of the current part's content, and subtracts the skipped bytes from the number of bytes that may be
  /// read.
  mutating func skip(upTo left: inout Int) async throws {
    while let chunk = try await nextChunk() {
      left -= chunk.readableBytes
      guard left >= 0 else { throw ErrorResponse.formTooLong }
    }
  }

  /// Reads a header line of a part without its line end, or returns `nil` for the empty line that ends the headers.
  private mutating func line(upTo left: inout Int) async throws -> String? {
    var scanned = 0
    while true {
      let view = pending.readableBytesView
      if let end = view.dropFirst(scanned).firstIndex(of: UInt8(ascii: "\n")) {
        left -= end - view.startIndex + 1
        guard left >= 0, let bytes = pending.readBytes(length: end - view.startIndex + 1), bytes.count >= 2 else {
          break
        }
        let line = bytes.dropLast(2)
        guard bytes[bytes.count - 2] == UInt8(ascii: "\r"), line.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
          let text = String(validating: line, as: UTF8.self)
        else { break }
        return text.isEmpty ? nil : text
      }
      scanned = view.count
      guard scanned <= left else { break }
      try await readMore()
    }
    throw ErrorResponse.malformedForm("The head of a part is too long, or contains an invalid byte.")
  }

  /// Checks that only a line end, if anything, follows the last boundary of the multipart body.
  private mutating func end() async throws {
    location = .end
    repeat {
      let rest = pending.readableBytesView
      guard "\r\n".utf8.starts(with: rest) else {
        throw ErrorResponse.malformedForm("The last boundary is followed by more data.")
      }
      guard var more = try await base.next(isolation: #isolation) else {
        guard rest.count != 1 else { throw ErrorResponse.malformedForm("The body ends within a line end.") }
        return
      }
      pending.writeBuffer(&more)
    } while true
  }

  private mutating func read(_ count: Int) async throws -> [UInt8] {
    while pending.readableBytes < count { try await readMore() }
    return pending.readBytes(length: count) ?? []
  }

  private mutating func readMore() async throws {
    guard let more = try await base.next(isolation: #isolation) else {
      throw ErrorResponse.malformedForm("The body ends before the last boundary.")
    }
    if pending.readableBytes == 0 {
      pending = more
    } else {
      pending.discardReadBytes()
      pending.writeImmutableBuffer(more)
    }
  }
}

extension ErrorResponse {
  /// The error response for a form with too many fields, or with fields that are too long.
  static let formTooLong = ErrorResponse.malformedForm("The form has too many fields, or they are too long.")
}

/// The parsed headers of a part of a multipart form.
struct PartHead: Sendable {
  /// The name of the form field that the part contains.
  let name: String

  /// The file name of the form part, or `nil` if the part specifies no file name.
  let fileName: String?

  /// The media type of the form part, or `nil` if the part specifies no media type.
  let contentType: String?

  /// Creates the headers of a form part by parsing header lines.
  ///
  /// Unknown headers are ignored (RFC 7578, section 4.8). Lines that are not headers, duplicate headers and ambiguous
  /// headers are rejected.
  init(_ lines: [String]) throws(ErrorResponse) {
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        throw .malformedForm("A line in the head of a part is not a header.")
      }
      let name = line[..<colon].asciiLowercased
      guard !name.isEmpty, name.utf8.allSatisfy(HeaderParameters.isTokenByte) else {
        throw .malformedForm("The name of a header of a part is invalid.")
      }
      guard headers.updateValue(String(line[line.index(after: colon)...]), forKey: name) == nil else {
        throw .malformedForm("A header of a part occurs twice.")
      }
    }
    guard let text = headers["content-disposition"], let disposition = HeaderParameters(text),
      disposition.value == "form-data", let name = disposition["name"], !name.isEmpty, disposition["filename*"] == nil
    else { throw .malformedForm("A part has no Content-Disposition: form-data with a name.") }
    self.name = name
    fileName = disposition["filename"]
    contentType = headers["content-type"].map { text in
      String(
        decoding: text.utf8.drop { $0 == UInt8(ascii: " ") }.reversed().drop { $0 == UInt8(ascii: " ") }.reversed(),
        as: UTF8.self)
    }
  }

  /// Whether this part contains the uploaded file: the part with the name `file`, in lowercase or uppercase.
  var isFile: Bool { name.asciiLowercased == "file" }
}

extension ErrorResponse {
  /// Creates the error response for a request body that is not a valid form.
  static func malformedForm(_ reason: String) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "MalformedPOSTRequest", "The body of your POST request is not well-formed multipart/form-data.",
      details: [Detail(name: "Reason", value: reason)])
  }
}
