// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import SystemPackage

/// The attributes to store with an uploaded object, and the conditions for the upload.
public struct UploadOptions: Sendable, Hashable {
  /// The media type of the object.
  ///
  /// If `nil`, the media type is derived from the extension of the file name, or else from the extension of the key.
  public var contentType: String?

  /// The user-defined names and values that are stored with the object and returned with it.
  ///
  /// Names are header tokens (letters, digits and some punctuation), and services return them in lowercase. Values are
  /// header values: one line, without spaces and tabs at the ends. Services limit the total size to a few kilobytes.
  public var metadata: [String: String]

  /// The `Cache-Control` header that the service sends with downloads of the object.
  public var cacheControl: String?
  /// The `Content-Disposition` header that the service sends with downloads of the object.
  public var contentDisposition: String?
  /// The `Content-Encoding` header that the service sends with downloads of the object.
  public var contentEncoding: String?

  /// Whether the upload fails if an object with the key exists, as far as the service promises it.
  ///
  /// - OSS and COS ignore this in a bucket whose versioning is enabled or suspended: the object is replaced, and only
  ///   with enabled versioning the earlier version is kept. Set ``checksVersioning`` to fail in such a bucket.
  /// - For S3, an object whose current version is a delete marker does not exist.
  ///
  /// Sources: Alibaba Cloud, "PutObject", <https://www.alibabacloud.com/help/en/oss/developer-reference/putobject>;
  /// Tencent Cloud, "Initiate Multipart Upload", <https://www.tencentcloud.com/document/product/436/7746>; AWS, "How to
  /// prevent object overwrites with conditional writes",
  /// <https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html>.
  public var forbidOverwrite: Bool

  /// Whether an upload fails if the service would ignore ``forbidOverwrite`` because of the bucket's versioning state.
  ///
  /// The client requests the state from OSS and COS only, for which the signer needs `oss:GetBucketVersioning` or
  /// `name/cos:GetBucketVersioning`. A change of the state between this request and the upload is not noticed.
  public var checksVersioning: Bool

  /// The entity tag, including the quotes, that the replaced object must have, or `nil` for no condition.
  ///
  /// If the object has another entity tag, the upload fails with ``ServiceError/Kind/preconditionFailed``. For a
  /// service that would ignore the condition, the client rejects the upload with ``StorageError/Code/invalidOption``.
  public var ifMatch: String?

  /// The storage class of the object, as the provider spells it, or `nil` for that of the bucket.
  public var storageClass: String?

  /// Additional provider-specific headers, such as `x-oss-object-acl`, or those of an `UploadCallback`.
  ///
  /// Each header is sent with the requests of the upload that it applies to. In a multipart upload, a traffic limit is
  /// sent with every part, a customer-provided key with the initiation and every part (for S3 also the completion), a
  /// callback with the completion, and a requester-pays header or an unknown header with every request.
  public var headers: HTTPFields

  /// Creates the options of an upload; the parameters are the properties.
  public init(
    contentType: String? = nil, metadata: [String: String] = [:], cacheControl: String? = nil,
    contentDisposition: String? = nil, contentEncoding: String? = nil, forbidOverwrite: Bool = false,
    checksVersioning: Bool = false, ifMatch: String? = nil, storageClass: String? = nil, headers: HTTPFields = [:]
  ) {
    self.contentType = contentType
    self.metadata = metadata
    self.cacheControl = cacheControl
    self.contentDisposition = contentDisposition
    self.contentEncoding = contentEncoding
    self.forbidOverwrite = forbidOverwrite
    self.checksVersioning = checksVersioning
    self.ifMatch = ifMatch
    self.storageClass = storageClass
    self.headers = headers
  }

  /// Creates the options that give a copy the attributes of an object.
  package init(of info: ObjectInfo) {
    self.init(
      contentType: info.contentType, metadata: info.metadata, cacheControl: info.headers[.cacheControl],
      contentDisposition: info.headers[.contentDisposition], contentEncoding: info.headers[.contentEncoding])
    for name in [HTTPField.Name.contentLanguage, .expires] { headers[name] = info.headers[name] }
  }

  /// Returns the options with the separate parameters of a call, which take precedence.
  func merging(contentType: String?, metadata: [String: String]) -> UploadOptions {
    var options = self
    options.contentType = contentType ?? self.contentType
    options.metadata.merge(metadata) { _, callValue in callValue }
    return options
  }
}

extension UploadOptions {
  /// Returns the headers of the operation that creates an object, an upload or a copy, possibly from a file.
  ///
  /// Without ``contentType``, the extension of the file name, or else of the key, determines the media type.
  func requestHeaders(
    in conventions: HeaderConventions, key: String, file: FilePath? = nil, for operation: HeaderScope = .upload
  ) throws(StorageError) -> HTTPFields {
    let fileName = file?.lastComponent.flatMap { $0.extension == nil ? nil : $0.string }
    var fields = HTTPFields()
    try fields.set(.contentType, to: contentType ?? MediaType.ofFile(named: fileName ?? key))
    try fields.set(.cacheControl, to: cacheControl)
    try fields.set(.contentDisposition, to: contentDisposition)
    try fields.set(.contentEncoding, to: contentEncoding)
    try fields.set(conventions.storageClass, to: storageClass)
    if forbidOverwrite { try fields.forbidOverwrite(in: conventions) }
    if let ifMatch {
      guard conventions.overwritesConditionally else {
        throw StorageError(
          .invalidOption, "The service does not support ifMatch for uploads.",
          remedy: "Leave ifMatch out; check the object first, or choose a key that is used only once.")
      }
      guard !forbidOverwrite else {
        throw StorageError(
          .invalidOption, "The options ifMatch and forbidOverwrite contradict each other.", remedy: "Leave one out.")
      }
      try fields.set(.ifMatch, to: ifMatch)
    }
    try setMetadata(in: &fields, prefix: conventions.metadataPrefix)
    let name = operation == .copy ? "a copy" : "an upload"
    try headers.requireApplicable(to: operation, named: name, in: conventions.scopes)
    fields.replaceFields(with: headers)
    return fields
  }

  /// Sets the metadata headers in the order of their names, so that equal options always make equal requests.
  private func setMetadata(in fields: inout HTTPFields, prefix: String) throws(StorageError) {
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      guard !name.isEmpty, let header = HTTPField.Name(prefix + name) else {
        throw StorageError(
          .invalidOption, "The metadata name \"\(name)\" cannot be sent as a header.",
          remedy: "Use letters, digits and hyphens.")
      }
      guard fields[header] == nil else {
        throw StorageError(
          .invalidOption, "The metadata name \"\(name)\" appears twice, in different case.",
          remedy: "Use one of them; services do not distinguish upper and lower case.")
      }
      try fields.set(header, to: value)
    }
  }
}

extension UploadOptions: Redacted {
  /// The upload options that are set, and the names of the additional headers.
  public var description: String {
    optionsDescription(
      "UploadOptions",
      [
        ("contentType", contentType), ("metadata", metadata.isEmpty ? nil : metadata), ("cacheControl", cacheControl),
        ("contentDisposition", contentDisposition), ("contentEncoding", contentEncoding),
        ("forbidOverwrite", forbidOverwrite ? true : nil), ("checksVersioning", checksVersioning ? true : nil),
        ("ifMatch", ifMatch), ("storageClass", storageClass),
      ], headers)
  }
}

/// Returns a description of the options that are set, without the header values, which can be secret keys.
func optionsDescription(_ type: String, _ settings: [(name: String, value: Any?)], _ headers: HTTPFields) -> String {
  var parts = settings.compactMap { setting in setting.value.map { "\(setting.name): \($0)" } }
  if !headers.isEmpty { parts.append("headers: \(headers.map(\.name.rawName).joined(separator: ", "))") }
  return "\(type)(\(parts.joined(separator: ", ")))"
}
