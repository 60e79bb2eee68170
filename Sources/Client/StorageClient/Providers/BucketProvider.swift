// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A storage provider for a bucket of a service with the XML protocol that most object storage services share.
public protocol BucketProvider<SigningCredential>: StorageProvider {
  /// The bucket name.
  var bucket: String { get }

  /// The region of the bucket, such as `eu-central-1`.
  var region: String { get }

  /// The service-specific header names and formats.
  var conventions: HeaderConventions { get }

  /// Returns the value of the header that specifies the source of a copy, in the service's format.
  ///
  /// - Parameter source: The bucket, key and version of the object to copy.
  func copySource(_ source: CopySource) -> String

  /// The digests of a request body that ``headers(of:body:alongside:)`` needs.
  ///
  /// The set is empty by default. To compute digests, the client reads a body one additional time before it sends the
  /// body.
  var digests: DigestSet { get }

  /// Returns the headers that the service requires in addition to the headers of the operation.
  ///
  /// - Parameters:
  ///   - request: The kind of request. Empty if the request does not concern a single object.
  ///   - body: The digests of the request body. For the completion of a multipart upload, the checksum is the checksum
  ///     of the object.
  ///   - fields: The headers of the operation, including the caller's headers.
  /// - Returns: The additional headers. By default, there are none.
  func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields

  /// The body of the request that creates the bucket, empty by default.
  var bucketConfiguration: [UInt8] { get }
}

extension BucketProvider {
  /// The bucket name, which errors and events show as the container of the objects.
  public var containerName: String { bucket }

  /// Creates a service error from the XML in a response body, or in the header that replaces the body.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning. Empty if the connection was lost.
  ///   - subject: The action and the location of the request, for the error message.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(
      ServiceError.document(response, body: body, conventions: conventions), of: response, subject: subject,
      conventions: conventions)
  }

  /// An empty set, because by default the service requires no digests.
  public var digests: DigestSet { [] }

  /// Returns no headers, because by default the service requires no additional headers.
  public func headers(of request: HeaderScope, body: BodyDigest, alongside fields: HTTPFields) -> HTTPFields { [:] }

  /// An empty body, which creates a bucket with the service's default configuration.
  public var bucketConfiguration: [UInt8] { [] }

  /// Returns the bucket store that performs a client's operations.
  ///
  /// - Parameter sender: The sender of the client's requests.
  public func store(using sender: RequestSender<Self>) -> some BucketStore {
    BucketClient(sender: sender)
  }
}

/// A storage provider for a service that accepts presigned URLs.
public protocol PresigningProvider<SigningCredential>: BucketProvider {
  /// The type of the signer that creates presigned URLs.
  associatedtype URLSigner: Presigner where URLSigner.SigningCredential == SigningCredential

  /// The signer that creates presigned URLs.
  var presigner: URLSigner { get }
}
