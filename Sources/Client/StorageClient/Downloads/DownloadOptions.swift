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

/// A range of the bytes of an object, for partial downloads.
public struct ByteRange: Sendable, Hashable {
  /// The offsets of the first and the last byte, or the number of bytes at the end of the object.
  private enum Bounds: Sendable, Hashable {
    case between(Int64, Int64?)
    case last(Int64)
  }

  private let bounds: Bounds

  /// Creates a byte range from a half-open range of offsets.
  ///
  /// - Parameter range: The byte offsets, from 0. An empty range is replaced by its first byte: HTTP has none.
  public init(_ range: Range<Int64>) {
    bounds = .between(max(0, range.lowerBound), max(0, range.lowerBound, max(1, range.upperBound) - 1))
  }

  /// Creates a byte range from a closed range of offsets.
  ///
  /// - Parameter range: The byte offsets, from 0.
  public init(_ range: ClosedRange<Int64>) {
    bounds = .between(max(0, range.lowerBound), max(0, range.upperBound))
  }

  /// Creates a byte range from an offset to the end of the object.
  ///
  /// - Parameter range: The byte offsets, from 0.
  public init(_ range: PartialRangeFrom<Int64>) {
    bounds = .between(max(0, range.lowerBound), nil)
  }

  /// Returns the byte range at the end of an object that has the given number of bytes.
  ///
  /// - Parameter count: The number of bytes, at least 1.
  public static func last(_ count: Int64) -> ByteRange { ByteRange(bounds: .last(max(1, count))) }

  private init(bounds: Bounds) {
    self.bounds = bounds
  }

  /// The value of the HTTP `Range` header, such as `bytes=0-99`.
  var text: String {
    switch bounds {
    case .between(let first, let last): "bytes=\(first)-\(last.map { "\($0)" } ?? "")"
    case .last(let count): "bytes=-\(count)"
    }
  }

  /// Returns the offsets that the range selects from an object, or `nil` if the range lies outside the object.
  ///
  /// Implementations of ``ObjectStore`` use this method.
  ///
  /// - Parameter length: The size of the object in bytes.
  public func bytes(of length: Int64) -> Range<Int64>? {
    switch bounds {
    case .between(let first, let last):
      first < length ? first..<(last.map { max(first, min($0, length - 1)) } ?? length - 1) + 1 : nil
    case .last(let count): length > 0 ? max(0, length - count)..<length : nil
    }
  }
}
