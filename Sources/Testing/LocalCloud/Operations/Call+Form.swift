// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension Call {
  /// Stores the file of a verified form upload and returns the response to the client.
  @concurrent
  func postObject(_ upload: FormUpload, _ form: consuming FormUpload.Opened) async throws -> Answer {
    let verified = form.verified
    let outcome = try FormAnswer(verified.form)
    let access = try access(named: own(dialect.objectAccessHeader), isObject: true)
    let attributes = try attributes()
    try store.read(bucket) { try checkOverwrite($0.objects[key]) }
    let expectation = BodyExpectation(checks: try dialect.bodyChecks(of: headers, for: operation, nil))
    let written = try await upload.store(form, in: store.blobs, expectation)
    let object = StoredObject(
      id: .random(), key: key, content: written.content, description: description, modified: date,
      isMultipart: false, access: access, attributes: attributes)
    try await store.put(object, in: bucket) { try checkOverwrite($0.objects[key]) }
    var headers = checksums(of: written.content)
    describe(attributes, in: &headers)
    return try await calledBack(
      object,
      outcome.answer(
        bucket: bucket, key: key.text, entityTag: dialect.entityTag(written.content.entityTag), location: location,
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
  func headers(of dialect: any Dialect) throws(RefusalAnswer) -> HTTPFields {
    var headers: HTTPFields = [:]
    let access = dialect.header(dialect.objectAccessHeader)
    for field in form.fields where field.name.asciiLowercased != "content-type" {
      let isAccess = field.name.asciiLowercased == dialect.formAccessField
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
