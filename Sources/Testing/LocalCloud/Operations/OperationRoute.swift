// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The pattern of the requests for an operation: method, resource level and query parameters.
struct OperationRoute: Sendable {
  /// The level of the resource that a request refers to: service, bucket or object.
  enum Level: Sendable {
    case service, bucket, object

    /// The resource's name with an article, such as "a bucket", for error messages.
    var article: String {
      switch self {
      case .service: "the service"
      case .bucket: "a bucket"
      case .object: "an object"
      }
    }
  }

  let operation: Operation
  let method: HTTPRequest.Method
  let level: Level

  /// The names of the query parameters that select the operation.
  let selectors: Set<String>

  /// The names of the optional query parameters that the operation has in every service.
  let options: Set<String>

  /// Whether a request for the operation must specify the source object of a copy in a header.
  ///
  /// If `nil`, the operation does not use the header.
  let isCopy: Bool?

  init(
    _ operation: Operation, _ method: HTTPRequest.Method, _ level: Level, _ selectors: Set<String> = [],
    taking options: Set<String> = [], isCopy: Bool? = nil
  ) {
    self.operation = operation
    self.method = method
    self.level = level
    self.selectors = selectors
    self.options = options
    self.isCopy = isCopy
  }

  /// Returns the pattern with additional optional query parameters.
  func taking(_ more: Set<String>) -> OperationRoute {
    OperationRoute(operation, method, level, selectors, taking: options.union(more), isCopy: isCopy)
  }

  /// The HTTP methods that the operations use; other methods are rejected.
  static let methods: Set<HTTPRequest.Method> = [.get, .head, .put, .post, .delete]

  private static let overrides: Set<String> = [
    "response-content-type", "response-cache-control", "response-content-disposition", "response-content-encoding",
    "response-content-language", "response-expires",
  ]

  /// The request patterns of the operations that all services share.
  static let shared: [OperationRoute] = [
    OperationRoute(.listBuckets, .get, .service, taking: ["prefix", "marker", "max-keys"]),

    OperationRoute(.createBucket, .put, .bucket),
    OperationRoute(.deleteBucket, .delete, .bucket),
    OperationRoute(.headBucket, .head, .bucket),
    OperationRoute(.readBucketAccess, .get, .bucket, ["acl"]),
    OperationRoute(.changeBucketAccess, .put, .bucket, ["acl"]),
    OperationRoute(.bucketLocation, .get, .bucket, ["location"]),
    OperationRoute(.bucketVersioning, .get, .bucket, ["versioning"]),
    OperationRoute(
      .listObjects, .get, .bucket, taking: ["prefix", "delimiter", "marker", "max-keys", "encoding-type"]),
    OperationRoute(
      .listObjectsV2, .get, .bucket, ["list-type"],
      taking: [
        "prefix", "delimiter", "max-keys", "encoding-type", "continuation-token", "start-after", "fetch-owner",
      ]),
    OperationRoute(
      .listUploads, .get, .bucket, ["uploads"],
      taking: ["prefix", "delimiter", "key-marker", "upload-id-marker", "max-uploads", "encoding-type"]),
    OperationRoute(.deleteObjects, .post, .bucket, ["delete"], taking: ["encoding-type"]),

    OperationRoute(.putObject, .put, .object, isCopy: false),
    OperationRoute(.copyObject, .put, .object, isCopy: true),
    OperationRoute(.getObject, .get, .object, taking: overrides.union(["versionId"])),
    OperationRoute(.headObject, .head, .object, taking: overrides.union(["versionId"])),
    OperationRoute(.deleteObject, .delete, .object, taking: ["versionId"]),
    OperationRoute(.readObjectAccess, .get, .object, ["acl"], taking: ["versionId"]),
    OperationRoute(.changeObjectAccess, .put, .object, ["acl"], taking: ["versionId"]),

    OperationRoute(.initiateUpload, .post, .object, ["uploads"], taking: ["encoding-type"]),
    OperationRoute(.uploadPart, .put, .object, ["uploadId"], taking: ["partNumber"], isCopy: false),
    OperationRoute(.copyPart, .put, .object, ["uploadId"], taking: ["partNumber"], isCopy: true),
    OperationRoute(.completeUpload, .post, .object, ["uploadId"], taking: ["encoding-type"]),
    OperationRoute(.abortUpload, .delete, .object, ["uploadId"]),
    OperationRoute(
      .listParts, .get, .object, ["uploadId"], taking: ["max-parts", "part-number-marker", "encoding-type"]),
  ]
}
