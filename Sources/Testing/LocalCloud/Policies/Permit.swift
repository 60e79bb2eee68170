// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The permission to perform the operation of a request to a storage service.
///
/// Operations require this type, which can be created in only three ways: for a verified request of a caller whose
/// permissions include the operation, for an unsigned request that the bucket's policy allows, or for a read of a public
/// object.
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

  /// Creates a permit for an unsigned request, or returns `nil` if no policy of a bucket allows it.
  init?(unsigned target: RequestTarget, _ operation: Operation, copying source: NamedSource?, by rights: RequestRights)
  {
    guard rights.isAnonymous, rights.allow(operation, on: target) else { return nil }
    if operation.hasCopySource {
      guard let source, rights.allowReading(source) else { return nil }
    }
    self.operation = operation
    self.target = target
    isAnonymous = true
    self.rights = rights
  }

  /// Creates a permit for a request of any caller, or returns `nil` if it does not read what is public.
  ///
  /// Pages: S3, "Access control list (ACL) overview"; OSS, "Compatibility with Amazon S3"; COS, "ACL Overview".
  init?(
    everybody target: RequestTarget, _ operation: Operation, in store: BucketTable, at service: SimulatedService,
    isSigned: Bool = false
  ) throws {
    let isRead = operation.isPublicRead || operation.isPublicListing && service.buckets.publicCanBeListed
    guard isRead, let bucket = target.bucket?.string else { return nil }
    let version = target["versionId"]?.string
    let access = try store.read(bucket) { bucket in
      // Who can read a bucket learns which keys it does not contain.
      guard let key = target.key?.string, let object = try? bucket.object(ObjectKey(key), version: version) else {
        return bucket.access
      }
      return object.access ?? (service.buckets.objectsInheritAccess ? bucket.access : .private)
    }
    guard access.isPublic else { return nil }
    self.operation = operation
    self.target = target
    isAnonymous = !isSigned
    rights = .none(at: service)
  }
}

/// The permissions of one request: the authority of the caller's key, the policies of the buckets that it concerns, and
/// the values that policy conditions test.
struct RequestRights: Sendable {
  let authority: Authority
  let service: SimulatedService
  let region: String
  /// The values that policy conditions test, by condition key.
  let facts: [String: String]
  /// The buckets with their policies, or `nil` if no policy applies.
  var store: BucketTable?
  var isAnonymous = false

  /// Returns the permissions of a request without a signature, which allow no operation.
  static func none(at service: SimulatedService) -> RequestRights {
    RequestRights(authority: .nothing, service: service, region: "", facts: [:])
  }

  /// Returns whether the request may perform an operation, as far as its head tells.
  ///
  /// Only the body lists the objects to delete: see ``allowDeleting(_:version:in:)``. A key with all rights of the
  /// account can always read, change and delete the policy of a bucket.
  func allow(_ operation: Operation, on target: RequestTarget) -> Bool {
    if case .everything = authority, operation.isOfDocument,
      service.document(selectedBy: target).map({ $0.root == nil }) == true
    {
      return true
    }
    guard let (action, name) = request(for: operation, on: target) else {
      return if case .everything = authority { true } else { false }
    }
    if case .objectsOfBody = service.policies.permissions[operation]?.target { return !isAnonymous }
    return allows(action, name)
  }

  /// Returns whether the policy of the bucket allows or denies an operation, or `nil` if it does neither.
  func policyDecision(on operation: Operation, _ target: RequestTarget) -> Bool? {
    request(for: operation, on: target).flatMap { decision($0.action, $0.name) }
  }

  /// Returns the action and the name of the resource that an operation needs a permission for.
  private func request(for operation: Operation, on target: RequestTarget) -> (action: String, name: String)? {
    let bucket = target.bucket?.string ?? ""
    let ofBucket = bucket + service.policies.bucketSuffix
    if operation.isOfDocument, let document = service.document(selectedBy: target) {
      return (service.policies.action(document.action(of: operation)), ofBucket)
    }
    guard let permission = service.policies.permissions[operation] else { return nil }
    let name =
      switch permission.target {
      case .service: ""
      case .bucket: ofBucket
      case .list: "\(bucket)/\(target["prefix"] ?? "")"
      case .object: "\(bucket)/\(target.key ?? "")"
      case .objectsOfBody: bucket
      }
    return (service.policies.action(permission.action, ofVersion: target["versionId"]?.string), name)
  }

  func allowPosting(_ key: String, to bucket: String) -> Bool { allows(service.policies.post, "\(bucket)/\(key)") }

  func allowReading(_ source: NamedSource) -> Bool {
    allowReading(source.key.text, version: source.version, in: source.bucket)
  }

  func allowReading(_ key: String, version: String?, in bucket: String) -> Bool {
    allows(service.policies.action(service.policies.read, ofVersion: version), "\(bucket)/\(key)")
  }

  /// Returns whether the request may delete an object that its body lists.
  func allowDeleting(_ key: String, version: String?, in bucket: String) -> Bool {
    guard let permission = service.policies.permissions[.deleteObjects] else { return false }
    return allows(service.policies.action(permission.action, ofVersion: version), "\(bucket)/\(key)")
  }

  /// Returns whether the request may perform an action; `name` is that of a bucket, or starts with it and a slash.
  private func allows(_ action: String, _ name: String) -> Bool {
    switch decision(action, name) {
    case false?: false
    case true? where isAnonymous || authority.guest != nil: true
    default: authority.allows(input(action, name))
    }
  }

  private func decision(_ action: String, _ name: String) -> Bool? {
    let bucket = String(name.bytes(before: "/"))
    guard let text = try? store?.read(bucket, { $0.settings.documents?["policy"] }) else { return nil }
    // A policy was checked when it was stored. One that cannot be read denies everything.
    guard let policy = try? SessionPolicy(text, in: service.policies.language, ofBucket: true) else { return false }
    return policy.decision(input(action, name))
  }

  private func input(_ action: String, _ name: String) -> PolicyInput {
    PolicyInput(
      action: action, resource: service.behavior.resource(name, in: region), facts: facts,
      accounts: isAnonymous ? [] : authority.guest.map { [$0] } ?? service.buckets.accounts)
  }
}

/// The upper bound of the permissions of a caller's access key.
enum Authority: Sendable {
  /// No permissions, for requests without a signature.
  case nothing
  /// All permissions of the account that the caller's key belongs to.
  case everything
  case session(SessionPolicy)
  /// The permissions that policies of buckets grant to the account with a number, which owns no bucket.
  case guest(String)

  var guest: String? { if case .guest(let number) = self { number } else { nil } }

  /// Whether the caller belongs to the account that owns all buckets.
  var isOfOwner: Bool { if case .nothing = self { false } else { guest == nil } }

  func allows(_ input: PolicyInput) -> Bool {
    switch self {
    case .nothing, .guest: false
    case .everything: true
    case .session(let policy): policy.allows(input)
    }
  }
}
