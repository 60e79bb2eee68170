// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// The selection of the bytes of a download, and its conditions.
public struct DownloadOptions: Sendable, Hashable {
  /// The range, whose checksum cannot be verified; if `nil`, the whole object.
  public var range: ByteRange?

  /// The version, in a bucket with versioning.
  public var versionID: String?

  /// The entity tag that the object must have, or `nil` for no condition.
  ///
  /// Otherwise the download fails with ``ServiceError/Kind/preconditionFailed``.
  public var ifMatch: String?

  /// An entity tag that the object must not have; otherwise the download fails with ``ServiceError/Kind/notModified``.
  public var ifNoneMatch: String?

  /// The time after which the object must have changed, or `nil` for no condition.
  ///
  /// Otherwise the download fails with ``ServiceError/Kind/notModified``.
  public var ifModifiedSince: Timestamp?

  /// Additional query parameters of the provider, such as `x-oss-process`.
  ///
  /// The checksum is not verified if there are any, because a processed object differs from the stored one.
  public var parameters: [RequestTarget.Parameter]

  /// Additional headers of the provider, such as `x-oss-traffic-limit`, requester pays, or a customer-provided key.
  ///
  /// They are sent with every request of the download: for each range, and when a lost download is resumed. Conditions
  /// and the range have separate options and are rejected here.
  public var headers: HTTPFields

  /// Creates the options of a download.
  ///
  /// - Parameters:
  ///   - range: The range; if `nil`, the whole object.
  ///   - versionID: The version, in a bucket with versioning.
  ///   - ifMatch: The entity tag that the object must have.
  ///   - ifNoneMatch: An entity tag that the object must not have.
  ///   - ifModifiedSince: The time after which the object must have changed.
  ///   - parameters: Additional query parameters of the provider.
  ///   - headers: Additional headers of the provider.
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

  private static let own: [HTTPField.Name] = [.range, .ifMatch, .ifNoneMatch, .ifModifiedSince]

  /// Returns the headers of the request.
  ///
  /// - Parameter dialect: The service-specific names.
  /// - Throws: ``StorageError/Code/invalidOption`` if a header does not apply to downloads, or has a separate option.
  func fields(in dialect: ServiceDialect) throws(StorageError) -> HTTPFields {
    try headers.check(for: .download, named: "a download", dialect.scopes)
    var fields = HTTPFields()
    for field in headers {
      guard !Self.own.contains(field.name) else {
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
