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
  /// They are sent with every request; those of the conditions and the range are rejected, because they have options.
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
    try headers.requireApplicable(to: .get, named: "a download", in: conventions.scopes)
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

/// A range of the bytes of an object, for partial downloads.
public struct ByteRange: Sendable, Hashable {
  private enum Bounds: Sendable, Hashable {
    /// The bytes between two offsets, both included; without a last offset, to the end of the object.
    case between(first: Int64, last: Int64?)
    /// A number of bytes at the end of the object.
    case last(count: Int64)
  }

  private let bounds: Bounds

  /// Creates a byte range from a half-open range of offsets.
  ///
  /// The first byte has the offset 0, which replaces negative offsets. An empty range is replaced by its first byte.
  public init(_ range: Range<Int64>) {
    let first = max(0, range.lowerBound)
    let end = max(1, range.upperBound)
    bounds = .between(first: first, last: max(first, end - 1))
  }

  /// Creates a byte range from a closed range of offsets; 0 replaces negative offsets.
  public init(_ range: ClosedRange<Int64>) {
    bounds = .between(first: max(0, range.lowerBound), last: max(0, range.upperBound))
  }

  /// Creates a byte range from an offset to the end of the object; 0 replaces a negative offset.
  public init(_ range: PartialRangeFrom<Int64>) { bounds = .between(first: max(0, range.lowerBound), last: nil) }

  /// Returns the range of the last bytes of an object, at least one.
  public static func last(_ count: Int64) -> ByteRange { ByteRange(bounds: .last(count: max(1, count))) }

  private init(bounds: Bounds) { self.bounds = bounds }

  /// The value of the HTTP `Range` header, such as `bytes=0-99`.
  var headerValue: String {
    switch bounds {
    case .between(let first, let last): "bytes=\(first)-\(last.map { "\($0)" } ?? "")"
    case .last(let count): "bytes=-\(count)"
    }
  }

  /// Returns the offsets that the range selects from an object of `length` bytes, or `nil` if it selects no byte.
  public func bytes(of length: Int64) -> Range<Int64>? {
    switch bounds {
    case .between(let first, let last):
      guard first < length else { return nil }
      let lastInObject = min(last ?? .max, length - 1)
      return first..<lastInObject + 1
    case .last(let count): return length > 0 ? max(0, length - count)..<length : nil
    }
  }
}
