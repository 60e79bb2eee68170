internal import HTTPTypes
public import StorageAuth

/// What is downloaded, and under which conditions.
public struct DownloadOptions: Sendable, Hashable {
  /// A range, whose checksum cannot be compared; all of the object if not given.
  public var range: ByteRange?

  /// A version, in a bucket that keeps versions.
  public var versionID: String?

  /// Download only if the object has this entity tag; otherwise ``ServiceError/Kind/preconditionFailed``.
  public var ifMatch: String?

  /// Download only if the object has another entity tag; otherwise ``ServiceError/Kind/notModified``.
  public var ifNoneMatch: String?

  /// Download only if the object has changed since; otherwise ``ServiceError/Kind/notModified``.
  public var ifModifiedSince: Timestamp?

  /// Further query parameters of the provider, such as `x-oss-process`.
  ///
  /// What the service makes of an object has another checksum than the object, so none is compared then.
  public var parameters: [RequestTarget.Parameter]

  /// Says what is downloaded.
  public init(
    range: ByteRange? = nil, versionID: String? = nil, ifMatch: String? = nil, ifNoneMatch: String? = nil,
    ifModifiedSince: Timestamp? = nil, parameters: [RequestTarget.Parameter] = []
  ) {
    self.range = range
    self.versionID = versionID
    self.ifMatch = ifMatch
    self.ifNoneMatch = ifNoneMatch
    self.ifModifiedSince = ifModifiedSince
    self.parameters = parameters
  }

  /// The headers that say so.
  func headers() throws(StorageError) -> HTTPFields {
    var headers = HTTPFields()
    try headers.set(.range, to: range?.text)
    try headers.set(.ifMatch, to: ifMatch)
    try headers.set(.ifNoneMatch, to: ifNoneMatch)
    try headers.set(.ifModifiedSince, to: ifModifiedSince?.httpDate)
    return headers
  }
}
