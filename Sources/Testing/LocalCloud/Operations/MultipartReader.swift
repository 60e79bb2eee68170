// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth

/// A streaming parser of `multipart/form-data` bodies (RFC 7578, RFC 2046).
///
/// The parser is strict where implementations differ: the body starts with the boundary, lines end in CR LF, only a
/// line end may follow the last boundary, and headers are not folded. It keeps at most one chunk of the body and the
/// headers of one part in memory.
struct MultipartReader<Base: AsyncIteratorProtocol> where Base.Element == ByteBuffer {
  private static var headByteLimit: Int { 8 * 1024 }
  private enum Position { case start, content, delimiter, end }

  private var base: Base
  private let delimiter: [UInt8]
  private var pending = ByteBuffer(string: "\r\n")
  private var position = Position.start

  init(_ base: Base, boundary: String) {
    self.base = base
    delimiter = Array("\r\n--\(boundary)".utf8)
  }

  /// Skips what is left of the current part and returns the headers of the next part, or `nil` after the last part.
  mutating func nextPart() async throws -> PartHead? {
    if position == .end { return nil }
    if position == .start {
      guard try await read(delimiter.count) == delimiter else {
        throw ErrorResponse.malformedForm("The body does not begin with the boundary.")
      }
      position = .delimiter
    }
    while position == .content { _ = try await nextChunk() }
    switch try await read(2) {
    case Array("\r\n".utf8):
      var lines: [String] = []
      var remainingByteCount = Self.headByteLimit
      while let line = try await headerLine(upTo: &remainingByteCount) { lines.append(line) }
      let head = try PartHead(lines)
      position = .content
      return head
    case Array("--".utf8):
      try await checkEnd()
      return nil
    default: throw ErrorResponse.malformedForm("A boundary is not followed by a line end.")
    }
  }

  /// Returns the next bytes of the part's content, or `nil` at its end.
  mutating func nextChunk() async throws -> ByteBuffer? {
    while position == .content {
      let (byteCount, isBeforeDelimiter) = pendingContent()
      let chunk = pending.readSlice(length: byteCount)
      if isBeforeDelimiter {
        position = .delimiter
        pending.moveReaderIndex(forwardBy: delimiter.count)
      }
      if byteCount > 0 { return chunk }
      if !isBeforeDelimiter { try await readMore() }
    }
    return nil
  }

  /// Returns the number of pending bytes of the content, and whether the delimiter follows them.
  ///
  /// The beginning of a delimiter at the end of the buffer is not counted, because more bytes must show what it is.
  private func pendingContent() -> (byteCount: Int, isBeforeDelimiter: Bool) {
    let view = pending.readableBytesView
    var searchStart = view.startIndex
    while let candidate = view[searchStart...].firstIndex(of: UInt8(ascii: "\r")) {
      let match = view[candidate...].prefix(delimiter.count)
      if delimiter.starts(with: match) { return (candidate - view.startIndex, match.count == delimiter.count) }
      searchStart = candidate + 1
    }
    return (view.count, false)
  }

  /// Reads the rest of the content as UTF-8, and subtracts its length from the number of bytes that may be read.
  mutating func text(upTo remaining: inout Int) async throws -> String {
    var bytes: [UInt8] = []
    while let chunk = try await nextChunk(upTo: &remaining) { bytes += chunk.readableBytesView }
    guard let text = String(utf8: bytes) else { throw ErrorResponse.malformedForm("A field is not UTF-8.") }
    return text
  }

  /// Reads a chunk of the content, and subtracts its length from the number of bytes that may be read.
  mutating func nextChunk(upTo remaining: inout Int) async throws -> ByteBuffer? {
    let chunk = try await nextChunk()
    remaining -= chunk?.readableBytes ?? 0
    guard remaining >= 0 else { throw ErrorResponse.formTooLong }
    return chunk
  }

  /// Reads a header line of a part without its line end, or returns `nil` for the empty line that ends the headers.
  private mutating func headerLine(upTo remaining: inout Int) async throws -> String? {
    var scannedByteCount = 0
    while scannedByteCount <= remaining {
      let view = pending.readableBytesView
      guard let lineFeed = view.dropFirst(scannedByteCount).firstIndex(of: UInt8(ascii: "\n")) else {
        scannedByteCount = view.count
        if scannedByteCount <= remaining { try await readMore() }
        continue
      }
      let line = try await read(lineFeed - view.startIndex + 1)
      remaining -= line.count
      let content = line.dropLast(2)
      guard remaining >= 0, line.suffix(2).elementsEqual("\r\n".utf8),
        content.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }), let text = String(utf8: content)
      else { break }
      return text.isEmpty ? nil : text
    }
    throw ErrorResponse.malformedForm("The head of a part is too long, or contains an invalid byte.")
  }

  /// Checks that at most a line end follows the last boundary.
  private mutating func checkEnd() async throws {
    position = .end
    while true {
      let epilogue = pending.readableBytesView
      guard "\r\n".utf8.starts(with: epilogue) else {
        throw ErrorResponse.malformedForm("The last boundary is followed by more data.")
      }
      guard var more = try await base.nextElement() else {
        guard epilogue.count != 1 else { throw ErrorResponse.malformedForm("The body ends within a line end.") }
        return
      }
      pending.writeBuffer(&more)
    }
  }

  private mutating func read(_ count: Int) async throws -> [UInt8] {
    while pending.readableBytes < count { try await readMore() }
    return pending.readBytes(length: count) ?? []
  }

  private mutating func readMore() async throws {
    guard let more = try await base.nextElement() else {
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

/// The headers of a part of a form: the name of its field, and the name and media type of a file.
struct PartHead: Sendable {
  let name: String
  let fileName, contentType: String?

  /// Parses the lines of a part's headers, of which unknown ones are ignored (RFC 7578, section 4.8).
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
      guard headers.updateValue(String(line[line.utf8.index(after: colon)...]), forKey: name) == nil else {
        throw .malformedForm("A header of a part occurs twice.")
      }
    }
    guard let text = headers["content-disposition"], let disposition = HeaderParameters(text),
      disposition.value == "form-data", let name = disposition["name"], !name.isEmpty, disposition["filename*"] == nil
    else { throw .malformedForm("A part has no Content-Disposition: form-data with a name.") }
    self.name = name
    fileName = disposition["filename"]
    contentType = headers["content-type"].map { String($0.trimmingBlanks) }
  }

  /// Whether this part contains the uploaded file: the part with the name `file`, in lowercase or uppercase.
  var isFile: Bool { name.asciiLowercased == "file" }
}

/// A header value with parameters, such as `form-data; name="key"`, parsed strictly.
struct HeaderParameters: Sendable {
  /// The part of the header value before the parameters, in lowercase.
  let value: String
  private let parameters: [String: String]

  /// Parses a header value, or returns `nil` if it is malformed.
  ///
  /// A quoted string ends at the next quotation mark, because browsers encode one within the string as `%22`.
  init?(_ text: String) {
    value = text.bytes(before: ";").trimmingBlanks.asciiLowercased
    var rest = text.bytes(from: ";")
    var parameters: [String: String] = [:]
    while !rest.isEmpty {
      rest = Self.droppingFirstByte(of: rest).trimmingBlanks
      let name = rest.bytes(before: "=")
      rest = rest[name.endIndex...]
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte), !rest.isEmpty else { return nil }
      rest = Self.droppingFirstByte(of: rest)
      let content: Substring
      if rest.beginsWithByte("\"") {
        rest = Self.droppingFirstByte(of: rest)
        guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        content = rest[..<end]
        rest = Self.droppingFirstByte(of: rest[end...]).trimmingBlanks
      } else {
        content = rest.bytes(before: ";").trimmingBlanks
        rest = rest.bytes(from: ";")
        guard !content.isEmpty, content.utf8.allSatisfy({ Self.isTokenByte($0) || "/:=?()@,".utf8.contains($0) }) else {
          return nil
        }
      }
      guard rest.isEmpty || rest.beginsWithByte(";"),
        parameters.updateValue(String(content), forKey: name.asciiLowercased) == nil
      else { return nil }
    }
    self.parameters = parameters
  }

  subscript(name: String) -> String? { parameters[name] }

  /// Returns a string without its first byte, which is ASCII, so that a combining mark after it remains.
  private static func droppingFirstByte(of text: Substring) -> Substring { Substring(text.utf8.dropFirst()) }
  /// Returns whether a byte is allowed in an HTTP token (RFC 9110, section 5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte) }
}
