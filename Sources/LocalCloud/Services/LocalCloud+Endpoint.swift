extension LocalCloud {
  /// A part of the server that fails on its own and is counted on its own.
  public enum Endpoint: String, Sendable, Hashable, CaseIterable {
    /// OSS.
    case oss
    /// COS.
    case cos
    /// S3.
    case s3
    /// The token services of both clouds.
    case sts
    /// The app server that hands out temporary keys.
    case appServer
    /// The metadata of an instance, of both clouds.
    case metadata
    /// The Node API of Aspera.
    case node
    /// The desk that `ascp-simulator` transfers files with.
    case transfer
  }
}
