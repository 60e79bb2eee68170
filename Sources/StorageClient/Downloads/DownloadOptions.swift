public import HTTPTypes
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

  /// Further headers of the provider, such as `x-oss-traffic-limit`, who pays, or a customer's key.
  ///
  /// They go with every request of the download: each range, and what takes up a download that broke off. Conditions and
  /// the range are options of their own.
  public var headers: HTTPFields

  /// Says what is downloaded.
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

  /// The headers of the request.
  ///
  /// - Parameter dialect: How the service names things.
  /// - Throws: ``StorageError/Code/invalidOption`` if a header is of no download, or has an option of its own.
  func fields(in dialect: ServiceDialect) throws(StorageError) -> HTTPFields {
    try headers.check(for: .download, named: "a download", dialect.scopes)
    var fields = HTTPFields()
    for field in headers {
      guard !Self.own.contains(field.name) else {
        throw StorageError(
          .invalidOption, "The header \(field.name.rawName) is an option of its own.",
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
