// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A provider that stores objects in buckets, with the XML protocol that most such services share.
public protocol BucketProvider<SigningCredential>: StorageProvider {
  /// The bucket.
  var bucket: String { get }

  /// The region.
  var region: String { get }

  /// The service-specific names and formats.
  var dialect: ServiceDialect { get }

  /// Returns the value of the header that names the source of a copy, in the service's format.
  ///
  /// - Parameter source: The source of the copy.
  func copySource(_ source: CopySource) -> String

  /// The digests of a body that ``headers(of:body:alongside:)`` needs; empty by default.
  ///
  /// To compute them, the client reads a body one additional time before it sends it.
  var digests: DigestSet { get }

  /// Returns the headers that the service requires in addition to those of the operation.
  ///
  /// - Parameters:
  ///   - request: The request of an operation; empty for one that concerns no single object.
  ///   - body: The digests of the body; for the completion of a multipart upload, the checksum is that of the object.
  ///   - fields: The headers of the operation, including those of the caller.
  /// - Returns: The headers; none by default.
  func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields

  /// The body of the request that creates the bucket; empty by default.
  var bucketConfiguration: [UInt8] { get }
}

extension BucketProvider {
  /// The bucket.
  public var containerName: String { bucket }

  /// Creates the error from the XML in the body, or in the header that replaces the body.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning; empty if the connection was lost.
  ///   - subject: The action and the location of the request.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(
      ServiceError.document(response, body: body, dialect: dialect), of: response, subject: subject, dialect: dialect)
  }

  /// An empty set: the service requires no digests.
  public var digests: DigestSet { [] }

  /// Returns no headers.
  public func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields { [:] }

  /// An empty body.
  public var bucketConfiguration: [UInt8] { [] }

  /// Returns the operations of a bucket.
  ///
  /// - Parameter client: The client that sends the requests.
  public func store(of client: StorageClient<Self>) -> some BucketStore {
    BucketClient(client: client)
  }
}

/// A provider of a service that accepts presigned URLs.
public protocol PresigningProvider<SigningCredential>: BucketProvider {
  /// The type of the signer of URLs.
  associatedtype URLSigner: Presigner where URLSigner.SigningCredential == SigningCredential

  /// The signer of URLs.
  var presigner: URLSigner { get }
}
