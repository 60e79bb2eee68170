public import HTTPTypes
public import StorageAuth

/// A provider that keeps objects in buckets, and speaks the XML that OSS and COS have in common.
public protocol BucketProvider<Proof>: StorageProvider {
  /// The bucket.
  var bucket: String { get }

  /// The region.
  var region: String { get }

  /// The names and spellings of the service.
  var dialect: ServiceDialect { get }

  /// How the service wants the source of a copy to be named.
  func copySource(_ source: CopySource) -> String
}

extension BucketProvider {
  /// The bucket.
  public var place: String { bucket }

  /// Reads the XML of an error, in the body or in the header that stands in for it.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(
      ServiceError.document(response, body: body, dialect: dialect), of: response, subject: subject, dialect: dialect)
  }

  /// The operations of a bucket.
  public func store(of client: StorageClient<Self>) -> some BucketStore {
    BucketClient(client: client)
  }
}

/// A provider whose URLs can carry their own authorization.
public protocol PresigningProvider<Proof>: BucketProvider {
  /// What signs URLs.
  associatedtype URLSigner: Presigner where URLSigner.Proof == Proof

  /// What signs URLs.
  var presigner: URLSigner { get }
}
