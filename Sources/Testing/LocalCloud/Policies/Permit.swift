// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The permission to perform the operation of a request to a storage service.
///
/// Operations require this type, which can be created in only two ways: for a verified request of a caller whose
/// permissions include the operation, or for an unsigned read of a public object.
struct Permit: Sendable {
  let operation: Operation

  /// The target of the request with its unsigned parameters, because the services act on them.
  let target: RequestTarget

  let isAnonymous: Bool

  /// The permissions of the request, to check access to resources that only the request body specifies.
  let rights: RequestRights

  /// The reader that removes the framing of the request body, or `nil` if the body is not framed.
  var reader: (any BodyReader)?

  /// Creates a permit for a verified request, or returns `nil` if its permissions do not include the operation.
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

  /// Creates a permit for an unsigned request, or returns `nil` if it does not read what is public.
  ///
  /// Pages: S3, "Access control list (ACL) overview"; OSS, "Compatibility with Amazon S3"; COS, "ACL Overview".
  init?(
    everybody target: RequestTarget, _ operation: Operation, in store: BucketTable, at service: SimulatedService
  ) throws {
    let isRead = operation.isPublicRead || operation.isPublicListing && service.buckets.publicCanBeListed
    guard isRead, let bucket = target.bucket?.string else { return nil }
    let access = try store.read(bucket) { bucket in
      // Who can read a bucket learns which keys it does not contain.
      guard let key = target.key?.string, let object = bucket.objects[ObjectKey(key)] else { return bucket.access }
      return object.access ?? (service.buckets.objectsInheritAccess ? bucket.access : .private)
    }
    guard access == .publicRead else { return nil }
    self.operation = operation
    self.target = target
    isAnonymous = true
    rights = .none(at: service)
  }
}

/// The permissions of one request: the authority of the caller's key, and the values that policy conditions test.
struct RequestRights: Sendable {
  let authority: Authority
  let service: SimulatedService
  let region: String
  /// The values that policy conditions test, by condition key.
  let facts: [String: String]

  /// Returns the permissions of a request without a signature, which allow no operation.
  static func none(at service: SimulatedService) -> RequestRights {
    RequestRights(authority: .nothing, service: service, region: "", facts: [:])
  }

  /// Returns whether the request may perform an operation, as far as its head tells.
  ///
  /// Only the body lists the objects to delete: see ``allowDeleting(_:in:)``.
  func allow(_ operation: Operation, on target: RequestTarget) -> Bool {
    if case .everything = authority { return true }
    guard let permission = service.policies.permissions[operation] else { return false }
    let bucket = target.bucket?.string ?? ""
    switch permission.target {
    case .service: return allows(permission.action, "")
    case .bucket: return allows(permission.action, bucket + service.policies.bucketSuffix)
    case .list: return allows(permission.action, "\(bucket)/\(target["prefix"] ?? "")")
    case .object: return allows(permission.action, "\(bucket)/\(target.key ?? "")")
    case .objectsOfBody: return true
    }
  }

  func allowPosting(_ key: String, to bucket: String) -> Bool { allows(service.policies.post, "\(bucket)/\(key)") }

  func allowReading(_ source: NamedSource) -> Bool {
    allows(service.policies.read, "\(source.bucket)/\(source.key.text)")
  }

  /// Returns whether the request may delete an object that its body lists.
  func allowDeleting(_ key: String, in bucket: String) -> Bool {
    guard let permission = service.policies.permissions[.deleteObjects] else { return false }
    return allows(permission.action, "\(bucket)/\(key)")
  }

  private func allows(_ action: String, _ name: String) -> Bool {
    authority.allows(PolicyInput(action: action, resource: service.behavior.resource(name, in: region), facts: facts))
  }
}

/// The upper bound of the permissions of a caller's access key.
enum Authority: Sendable {
  /// No permissions, for requests without a signature.
  case nothing
  /// All permissions of the account that the caller's key belongs to.
  case everything
  case session(SessionPolicy)

  func allows(_ input: PolicyInput) -> Bool {
    switch self {
    case .nothing: false
    case .everything: true
    case .session(let policy): policy.allows(input)
    }
  }
}
