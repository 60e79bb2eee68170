public import HTTPTypes
public import StorageAuth

/// A provider that keeps objects in buckets, and speaks the XML that most such services have in common.
public protocol BucketProvider<SigningCredential>: StorageProvider {
  /// The bucket.
  var bucket: String { get }

  /// The region.
  var region: String { get }

  /// The names and spellings of the service.
  var dialect: ServiceDialect { get }

  /// How the service wants the source of a copy to be named.
  func copySource(_ source: CopySource) -> String

  /// The digests of a body that ``headers(of:body:alongside:)`` needs; ``DigestSet`` empty unless the service wants any.
  ///
  /// A body is read once more for them, before it is sent.
  var digests: DigestSet { get }

  /// Returns the headers that a request has for the sake of the service, besides those of the operation.
  ///
  /// - Parameters:
  ///   - request: The request of an operation; empty for one that is about no single object.
  ///   - body: The digests of its body; for the end of an upload in parts, the checksum is that of the object.
  ///   - fields: The headers of the operation, the caller's own included.
  /// - Returns: The headers; none unless the service wants any.
  func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields

  /// The body of the request that makes the bucket; empty unless the service wants any.
  var bucketConfiguration: [UInt8] { get }
}

extension BucketProvider {
  /// The bucket.
  public var containerName: String { bucket }

  /// Reads the XML of an error, in the body or in the header that stands in for it.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(
      ServiceError.document(response, body: body, dialect: dialect), of: response, subject: subject, dialect: dialect)
  }

  /// None.
  public var digests: DigestSet { [] }

  /// None.
  public func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields { [:] }

  /// None.
  public var bucketConfiguration: [UInt8] { [] }

  /// The operations of a bucket.
  public func store(of client: StorageClient<Self>) -> some BucketStore {
    BucketClient(client: client)
  }
}

/// A provider whose URLs can carry their own authorization.
public protocol PresigningProvider<SigningCredential>: BucketProvider {
  /// What signs URLs.
  associatedtype URLSigner: Presigner where URLSigner.SigningCredential == SigningCredential

  /// What signs URLs.
  var presigner: URLSigner { get }
}
