// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import StorageAuth
internal import StorageCrypto

/// A form upload (POST object), which reads and verifies the form's fields before it stores the file.
struct FormUpload: Sendable {
  private static let partLimit = 100
  private static let fieldByteLimit = 64 * 1024

  let bucket: String
  private let boundary: String

  /// Reads the head of a form upload; returns `nil` for any other request, and throws if the form upload is invalid.
  init?(_ head: HTTPRequest, at service: SimulatedService) throws(ErrorResponse) {
    guard head.method == .post, !(head.path ?? "").utf8.contains(UInt8(ascii: "?")),
      let text = head.headerFields[.contentType], text.asciiLowercased.hasBytePrefix("multipart/form-data")
    else { return nil }
    let target: RequestTarget
    do { target = try service.behavior.target(of: head) } catch { throw .invalidArgument(error.message) }
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

  /// A form whose fields were read and verified, but whose file was not read yet.
  struct PartlyReadForm {
    let verified: VerifiedForm
    fileprivate var reader: MultipartReader<RequestBody.AsyncIterator>
    fileprivate var partCount, remainingFieldBytes: Int
  }

  /// Reads the fields before the file, verifies the form as soon as the file begins, and leaves the file unread.
  @concurrent func readFields(
    of body: RequestBody, verifyingWith verify: (SubmittedForm) async throws -> VerifiedForm
  ) async throws -> PartlyReadForm {
    var reader = MultipartReader(body.makeAsyncIterator(), boundary: boundary)
    var fields: [FormField] = []
    var remainingFieldBytes = Self.fieldByteLimit
    while let part = try await reader.nextPart() {
      guard !part.isFile else {
        let form = SubmittedForm(bucket: bucket, fields: fields, fileName: part.fileName, fileType: part.contentType)
        let verified = try await verify(form)
        return PartlyReadForm(
          verified: verified, reader: reader, partCount: fields.count, remainingFieldBytes: remainingFieldBytes)
      }
      remainingFieldBytes -= part.name.utf8.count
      guard fields.count < Self.partLimit else { throw ErrorResponse.formTooLong }
      fields.append(FormField(part.name, try await reader.text(upTo: &remainingFieldBytes)))
    }
    throw ErrorResponse.invalidArgument("POST requires exactly one file upload per request.")
  }

  /// Stores the file, whose size the form's policy limits, and ignores the fields after it.
  @concurrent func store(
    _ form: consuming PartlyReadForm, in blobs: BlobStore, expecting expectation: BodyExpectation
  ) async throws -> Content {
    var form = form
    let sizes = form.verified.sizes
    return try await blobs.write(expectation) { writer in
      var byteCount: Int64 = 0
      while let chunk = try await form.reader.nextChunk() {
        byteCount += Int64(chunk.readableBytes)
        guard byteCount <= sizes.upperBound else {
          throw ErrorResponse(
            .badRequest, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size.",
            details: ["MaxSizeAllowed": String(sizes.upperBound)])
        }
        try await writer.append(chunk)
      }
      guard byteCount >= sizes.lowerBound else {
        throw ErrorResponse.entityTooSmall(byteCount: byteCount, limit: sizes.lowerBound)
      }
      try await skipFields(of: &form)
    }
  }

  private func skipFields(of form: inout PartlyReadForm) async throws {
    while let part = try await form.reader.nextPart() {
      form.partCount += 1
      guard form.partCount <= Self.partLimit else { throw ErrorResponse.formTooLong }
      if part.isFile { throw ErrorResponse.invalidArgument("POST requires exactly one file upload per request.") }
      while try await form.reader.nextChunk(upTo: &form.remainingFieldBytes) != nil {}
    }
  }
}

extension Call {
  @concurrent
  func postObject(_ upload: FormUpload, _ form: consuming FormUpload.PartlyReadForm) async throws -> Answer {
    let verified = form.verified
    let successAction = try FormSuccessAction(verified.form)
    let access = try requestedAccess()
    let attributes = try requestedAttributes()
    try store.read(bucket) { try checkOverwrite(in: $0) }
    let expectation = BodyExpectation(checks: try service.behavior.bodyChecks(of: headers, for: operation, nil))
    let content = try await upload.store(form, in: store.blobs, expecting: expectation)
    // While the file was received, another request can have changed the bucket's policy or access control.
    guard rights.allowPosting(key.string, to: bucket) else { throw service.policyRefusal(at: date) }
    let object = try await storeObject(content, access, attributes)
    return try await sendCallback(for: object, response(performing: successAction, for: object))
  }

  private func response(performing successAction: FormSuccessAction, for object: StoredObject) -> Answer {
    let entityTag = service.entityTag(object.content.entityTag)
    var headers = checksumHeaders(of: object.content)
    addEncryptionAndVersion(of: object, to: &headers)
    switch successAction {
    case .redirect(let url):
      let parameters: KeyValuePairs = ["bucket": bucket, "key": key.string, "etag": entityTag]
      let query = parameters.map { "\($0)=\($1.percentEncoded())" }.joined(separator: "&")
      headers[.location] = "\(url)\(url.hasByte("?") ? "&" : "?")\(query)"
      return Answer(.seeOther, headers: headers)
    case .status(let status):
      headers[.location] = objectURL
      guard status == .created else { return Answer(status, headers: headers) }
      let texts: KeyValuePairs = ["Location": objectURL, "Bucket": bucket, "Key": key.string, "ETag": entityTag]
      var response = Answer(XMLNode("PostResponse", texts: texts), headers: headers)
      response.status = .created
      return response
    }
  }
}

extension VerifiedForm {
  /// Returns the form's fields as the headers of the equivalent PUT request.
  ///
  /// `HeaderRules.check(_:)` has refused fields that a form cannot have, and an upload ignores unknown headers. Only
  /// the form field for the access control becomes the access control header. A field with the name of that header is
  /// ignored, because policies check only the form field.
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

/// The response that a form requests for a successful upload.
enum FormSuccessAction: Sendable {
  case status(HTTPResponse.Status)
  case redirect(String)

  /// Reads the fields `success_action_redirect` and `success_action_status`; without both, the status is 204.
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
}

extension ErrorResponse {
  static func entityTooSmall(byteCount: Int64, limit: Int64) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size.",
      details: ["ProposedSize": String(byteCount), "MinSizeAllowed": String(limit)])
  }

  static let formTooLong = ErrorResponse.malformedForm("The form has too many fields, or they are too long.")

  static func malformedForm(_ reason: String) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "MalformedPOSTRequest", "The body of your POST request is not well-formed multipart/form-data.",
      details: ["Reason": reason])
  }
}
