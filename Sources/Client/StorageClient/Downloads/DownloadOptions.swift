// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The version and byte range of an object to download, and the conditions for the download.
public struct DownloadOptions: Sendable, Hashable {
  private static let optionHeaders: [HTTPField.Name] = [.range, .ifMatch, .ifNoneMatch, .ifModifiedSince]

  /// The byte range to download, whose checksum cannot be verified, or `nil` for the whole object.
  public var range: ByteRange?
  /// The version of the object, in a bucket with versioning, or `nil` for the latest version.
  public var versionID: String?
  /// The entity tag that the object must have; if not, the error is ``ServiceError/Kind/preconditionFailed``.
  public var ifMatch: String?
  /// An entity tag that the object must not have; if it has, the error is ``ServiceError/Kind/notModified``.
  public var ifNoneMatch: String?
  /// The time after which the object must have changed; if not, the error is ``ServiceError/Kind/notModified``.
  public var ifModifiedSince: Timestamp?
  /// Additional query parameters, such as `x-oss-process`; the checksum of a processed object is not verified.
  public var parameters: [RequestTarget.Parameter]

  /// Additional provider-specific headers, such as `x-oss-traffic-limit`, requester pays, or a customer-provided key.
  ///
  /// The headers are sent with every request of the download. The headers of the conditions and the range are rejected,
  /// because they have separate options.
  public var headers: HTTPFields

  /// Creates the options of a download; the parameters are the properties.
  public init(
    range: ByteRange? = nil, versionID: String? = nil, ifMatch: String? = nil, ifNoneMatch: String? = nil,
    ifModifiedSince: Timestamp? = nil, parameters: [RequestTarget.Parameter] = [], headers: HTTPFields = [:]
  ) {
    self.range = range
    self.versionID = versionID
    self.ifMatch = ifMatch
    self.ifNoneMatch = ifNoneMatch
    self.ifModifiedSince = ifModifiedSince
    self.parameters = parameters
    self.headers = headers
  }

  /// Returns the headers of a download, or throws an error if an additional header does not apply or has an option.
  func requestHeaders(in conventions: HeaderConventions) throws(StorageError) -> HTTPFields {
    try headers.requireApplicable(to: .download, named: "a download", in: conventions.scopes)
    if let field = headers.first(where: { Self.optionHeaders.contains($0.name) }) {
      throw StorageError(
        .invalidOption, "The header \(field.name.rawName) cannot be set directly, because it has a separate option.",
        remedy: "Set range, ifMatch, ifNoneMatch or ifModifiedSince.")
    }
    var fields = headers
    try fields.set(.range, to: range?.headerValue)
    try fields.set(.ifMatch, to: ifMatch)
    try fields.set(.ifNoneMatch, to: ifNoneMatch)
    try fields.set(.ifModifiedSince, to: ifModifiedSince?.httpDate)
    return fields
  }
}

extension DownloadOptions: Redacted {
  /// The download options that are set, and the names of the additional headers.
  public var description: String {
    optionsDescription(
      "DownloadOptions",
      [
        ("range", range?.headerValue), ("versionID", versionID), ("ifMatch", ifMatch), ("ifNoneMatch", ifNoneMatch),
        ("ifModifiedSince", ifModifiedSince), ("parameters", parameters.isEmpty ? nil : parameters),
      ], headers)
  }
}
