internal import HTTPTypes

extension UploadOptions {
  /// The headers of the request that creates the object.
  ///
  /// - Parameters:
  ///   - dialect: How the service names things.
  ///   - name: The file name or the key that the media type is guessed from.
  func fields(in dialect: ServiceDialect, named name: String) throws(StorageError) -> HTTPFields {
    var fields = HTTPFields()
    try fields.set(.contentType, to: contentType ?? MediaType.guess(fromName: name))
    try fields.set(.cacheControl, to: cacheControl)
    try fields.set(.contentDisposition, to: contentDisposition)
    try fields.set(.contentEncoding, to: contentEncoding)
    try fields.set(dialect.storageClass, to: storageClass)
    if forbidOverwrite { try fields.forbidOverwrite(in: dialect) }
    if let ifMatch {
      guard dialect.overwritesConditionally, !forbidOverwrite else {
        throw StorageError(
          .invalidOption,
          "An upload that depends on the entity tag of what it replaces is not possible here, or not together with "
            + "forbidOverwrite.",
          remedy: "Leave ifMatch out; look at the object first, or choose a key that is used once.")
      }
      try fields.set(.ifMatch, to: ifMatch)
    }
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      guard !name.isEmpty, let field = HTTPField.Name(dialect.metadataPrefix + name) else {
        throw StorageError(
          .invalidOption, "The metadata name \"\(name)\" cannot be sent as a header.",
          remedy: "Use letters, digits and hyphens.")
      }
      guard fields[field] == nil else {
        throw StorageError(
          .invalidOption, "The metadata name \"\(name)\" is there twice, in different case.",
          remedy: "Use one of them; services do not tell upper from lower case.")
      }
      try fields.set(field, to: value)
    }
    try headers.check(for: .upload.union(.copy), named: "an upload", dialect.scopes)
    for field in headers { fields[field.name] = field.value }
    return fields
  }
}

extension HTTPFields {
  /// Sets a header; refuses a value that would be changed on its way.
  mutating func set(_ name: HTTPField.Name, to value: String?) throws(StorageError) {
    guard let value else { return }
    guard HTTPField.isValidValue(value) else {
      throw StorageError(
        .invalidOption, "The value for \(name.rawName) cannot be sent as a header.",
        remedy: "Use one line without control characters and without blanks at its ends.")
    }
    self[name] = value
  }
}
