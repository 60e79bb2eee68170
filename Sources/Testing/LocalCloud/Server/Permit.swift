// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The permission to perform the operation of a request to a storage service.
///
/// Operations require this type, which can be created in only two ways: for a verified request of a caller whose
/// permissions include the operation, or for an unsigned read of a public object.
struct Permit: Sendable {
  /// The operation that the request may perform.
  let operation: Operation

  /// The bucket, the object key and all query parameters of the request.
  ///
  /// The target includes parameters that are not signed, because the services act on them.
  let target: RequestTarget

  /// Whether the request has no signature.
  let isAnonymous: Bool

  /// The permissions of the request, to check access to resources that only the request body specifies.
  let rights: RequestRights

  /// The reader that removes the framing of the request body, or `nil` if the body is not framed.
  var reader: (any BodyReader)?

  /// Creates a permit for a verified request, or returns `nil` if the permissions do not include the operation.
  ///
  /// - Parameters:
  ///   - verified: The verified request.
  ///   - operation: The operation of the request.
  ///   - source: The source object if the operation is a copy; `nil` otherwise.
  ///   - rights: The permissions of the request.
  init?(_ verified: VerifiedRequest, _ operation: Operation, copying source: NamedSource?, by rights: RequestRights) {
    guard rights.allow(operation, on: verified.wholeTarget) else { return nil }
    if operation.hasCopySource {
      guard let source, rights.allowReading(source) else { return nil }
    }
    self.operation = operation
    target = verified.wholeTarget
    isAnonymous = false
    self.rights = rights
  }

  /// Creates a permit for an unsigned request.
  ///
  /// - Returns: `nil` if the operation does not read an object, or the object is not public.
  init?(
    everybody target: RequestTarget, _ operation: Operation, in store: BucketTable, at service: SimulatedService
  ) throws {
    guard operation.isPublicRead, let bucket = target.bucket?.string, let key = target.key?.string else { return nil }
    let access = try store.read(bucket) { $0.objects[ObjectKey(key)]?.access ?? $0.access }
    guard access == .publicRead else { return nil }
    self.operation = operation
    self.target = target
    isAnonymous = true
    rights = .none(at: service)
  }
}
