// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// The version and byte range of an object to download, and the conditions for the download.
public struct DownloadOptions: Sendable, Hashable {
  /// The byte range to download.
  ///
  /// If `nil`, the whole object. The checksum of a range cannot be verified.
  public var range: ByteRange?

  /// The version of the object, in a bucket with versioning.
  ///
  /// If `nil`, the latest version.
  public var versionID: String?

  /// The entity tag that the object must have, or `nil` for no condition.
  ///
  /// If the object has another entity tag, the download fails with ``ServiceError/Kind/preconditionFailed``.
  public var ifMatch: String?

  /// An entity tag that the object must not have, or `nil` for no condition.
  ///
  /// If the object has this entity tag, the download fails with ``ServiceError/Kind/notModified``.
  public var ifNoneMatch: String?

  /// The time after which the object must have changed, or `nil` for no condition.
  ///
  /// If the object has not changed since then, the download fails with ``ServiceError/Kind/notModified``.
  public var ifModifiedSince: Timestamp?

  /// Additional provider-specific query parameters, such as `x-oss-process`.
  ///
  /// The checksum of a download with additional parameters is not verified, because a processed object differs from the
  /// stored object.
  public var parameters: [RequestTarget.Parameter]

  /// Additional provider-specific headers, such as `x-oss-traffic-limit`, requester pays, or a customer-provided key.
  ///
  /// The headers are sent with every request of the download: for each range, and when a lost download is resumed. The
  /// headers of the conditions and the range are rejected here, because they have separate options.
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

  /// The headers that have options of their own.
  private static let optionHeaders: [HTTPField.Name] = [.range, .ifMatch, .ifNoneMatch, .ifModifiedSince]

  /// Returns the headers of a download, to which the additional headers must apply without a separate option.
  func requestHeaders(in conventions: HeaderConventions) throws(StorageError) -> HTTPFields {
    try headers.requireScope(.download, of: "a download", conventions.scopes)
    var fields = HTTPFields()
    for field in headers {
      guard !Self.optionHeaders.contains(field.name) else {
        throw StorageError(
          .invalidOption, "The header \(field.name.rawName) cannot be set directly, because it has a separate option.",
          remedy: "Set range, ifMatch, ifNoneMatch or ifModifiedSince.")
      }
      fields[field.name] = field.value
    }
    try fields.set(.range, to: range?.text)
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
        ("range", range?.text), ("versionID", versionID), ("ifMatch", ifMatch), ("ifNoneMatch", ifNoneMatch),
        ("ifModifiedSince", ifModifiedSince), ("parameters", parameters.isEmpty ? nil : parameters),
      ], headers)
  }
}
