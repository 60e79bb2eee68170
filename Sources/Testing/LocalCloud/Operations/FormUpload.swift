// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto

/// A form upload (POST object), which reads and verifies the form's fields before it stores the file.
struct FormUpload: Sendable {
  /// The maximum number of parts of a form; `fieldByteLimit` is the maximum size of all fields together, in bytes.
  private static let partLimit = 100
  private static let fieldByteLimit = 64 * 1024

  let bucket: String
  private let boundary: String

  /// Creates a form upload, or returns `nil` if the request is none.
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
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "'()+_,-./:=? ".utf8.contains($0) }
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

  /// Stores the file, whose size the form's policy limits, and reads the rest of the form, which is ignored.
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
        if part.isFile { throw ErrorResponse.invalidArgument("POST requires exactly one file upload per request.") }
        try await form.reader.skip(upTo: &form.left)
      }
    }
  }
}

extension Call {
  /// Stores the file of a verified form upload and returns the response to the client.
  @concurrent
  func postObject(_ upload: FormUpload, _ form: consuming FormUpload.Opened) async throws -> Answer {
    let verified = form.verified
    let outcome = try FormAnswer(verified.form)
    let access = try access(named: own(service.headers.objectAccess), isObject: true)
    let attributes = try attributes()
    try store.read(bucket) { try checkOverwrite($0.objects[key]) }
    let expectation = BodyExpectation(checks: try service.behavior.bodyChecks(of: headers, for: operation, nil))
    let written = try await upload.store(form, in: store.blobs, expectation)
    let object = try await stored(written.content, access, attributes)
    var headers = checksums(of: written.content)
    describe(attributes, in: &headers)
    return try await calledBack(
      object,
      outcome.response(
        bucket: bucket, key: key.text, entityTag: service.entityTag(written.content.entityTag), location: location,
        headers: headers))
  }

  /// The URL of the uploaded object, with the host that the client used.
  private var location: String {
    String(writing: { writer in
      writer.append("http://")
      writer.append(host)
      writer.append(UInt8(ascii: "/"))
      if AddressingStyle(authority: host) == .path {
        writer.append(bucket)
        writer.append(UInt8(ascii: "/"))
      }
      writer.append(percentEncoding: key.text, .path)
    })
  }
}

extension VerifiedForm {
  /// Returns the form's fields as the headers of the equivalent PUT request.
  ///
  /// Only the form field for the access control becomes the access control header. A field with the name of that header
  /// is ignored, because policies check only the form field.
  func headers(of service: SimulatedService) throws(ErrorResponse) -> HTTPFields {
    var headers: HTTPFields = [:]
    let access = service.header(service.headers.objectAccess)
    for field in form.fields where field.name.asciiLowercased != "content-type" {
      let isAccess = field.name.asciiLowercased == service.headers.formAccessField
      guard isAccess || field.name.asciiLowercased != access else { continue }
      let name = isAccess ? access : field.name
      guard let name = HTTPField.Name(name) else { continue }
      guard HTTPField.isValidValue(field.value) else {
        throw .invalidArgument("The field \(field.name) is not a valid header value.")
      }
      headers[name] = field.value
    }
    if let contentType {
      guard HTTPField.isValidValue(contentType) else { throw .invalidArgument("The content type is invalid.") }
      headers[.contentType] = contentType
    }
    return headers
  }
}

/// The response that the client of a form upload receives once the file is stored.
enum FormAnswer: Sendable {
  case status(HTTPResponse.Status)
  case redirect(String)

  /// Creates the response that a form's fields ask for; without one, it is 204 (No Content).
  init(_ form: SubmittedForm) throws(ErrorResponse) {
    if let url = form["success_action_redirect"], !url.isEmpty {
      guard url.hasBytePrefix("https://") || url.hasBytePrefix("http://"),
        url.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f && $0 != UInt8(ascii: "#") })
      else { throw .invalidArgument("The success_action_redirect is not an HTTP URL without a fragment.") }
      self = .redirect(url)
      return
    }
    switch form["success_action_status"] {
    case "200": self = .status(.ok)
    case "201": self = .status(.created)
    default: self = .status(.noContent)
    }
  }

  /// Returns the HTTP response for an object that a form upload stored.
  func response(bucket: String, key: String, entityTag: String, location: String, headers: HTTPFields) -> Answer {
    var headers = headers
    headers[.location] = location
    switch self {
    case .redirect(let url):
      headers[.location] = String(writing: { writer in
        writer.append(url)
        writer.append(UInt8(ascii: url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"))
        writer.append("bucket=")
        writer.append(percentEncoding: bucket)
        writer.append("&key=")
        writer.append(percentEncoding: key)
        writer.append("&etag=")
        writer.append(percentEncoding: entityTag)
      })
      return Answer(.seeOther, headers: headers)
    case .status(.created):
      let document = XMLNode(
        "PostResponse",
        children: [
          XMLNode("Location", location), XMLNode("Bucket", bucket), XMLNode("Key", key), XMLNode("ETag", entityTag),
        ])
      var response = Answer(document, headers: headers)
      response.status = .created
      return response
    case .status(let status):
      return Answer(status, headers: headers)
    }
  }
}

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

  /// Reads the rest of the content as UTF-8, and subtracts its length from the number of bytes that may be read.
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

  /// Skips the rest of the content, and subtracts its length from the number of bytes that may be read.
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

/// The parsed headers of a part of a multipart form.
struct PartHead: Sendable {
  let name: String

  let fileName: String?

  let contentType: String?

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

/// A header value with parameters, such as `form-data; name="key"`, parsed strictly.
struct HeaderParameters: Sendable {
  /// The part of the header value before the parameters, in lowercase.
  let value: String

  private let parameters: [String: String]

  /// Parses a header value, or returns `nil` if it is malformed.
  ///
  /// A quoted string ends at the next quotation mark, because browsers encode one within the string as `%22`.
  init?(_ text: String) {
    var rest = text[...]
    value = Self.trimmed(rest.bytes(before: ";")).asciiLowercased
    rest = rest.bytes(from: ";")
    var parameters: [String: String] = [:]
    while !rest.isEmpty {
      rest = Self.behindFirstByte(of: rest)
      rest = rest[rest.utf8.drop(while: Self.isBlank).startIndex...]
      let name = rest.bytes(before: "=")
      rest = rest[name.endIndex...]
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte), !rest.isEmpty else { return nil }
      rest = Self.behindFirstByte(of: rest)
      let content: Substring
      if rest.beginsWithByte("\"") {
        rest = Self.behindFirstByte(of: rest)
        guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        content = rest[..<end]
        rest = Self.behindFirstByte(of: rest[end...])
        rest = rest[rest.utf8.drop(while: Self.isBlank).startIndex...]
      } else {
        content = Self.trimmed(rest.bytes(before: ";"))
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
  private static func behindFirstByte(of text: Substring) -> Substring {
    text[text.utf8.index(after: text.utf8.startIndex)...]
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func trimmed(_ text: Substring) -> Substring {
    var bytes = text.utf8.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return text[bytes.startIndex..<bytes.endIndex]
  }

  /// Returns whether a byte is allowed in an HTTP token (RFC 9110, section 5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte) }
}

extension UInt8 {
  var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
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

  static let formTooLong = ErrorResponse.malformedForm("The form has too many fields, or they are too long.")

  static func malformedForm(_ reason: String) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "MalformedPOSTRequest", "The body of your POST request is not well-formed multipart/form-data.",
      details: [Detail(name: "Reason", value: reason)])
  }
}
