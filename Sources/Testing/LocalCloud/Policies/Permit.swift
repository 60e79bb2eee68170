// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The permission to perform the operation of a request to a storage service.
///
/// Operations require this type, which can be created only for a verified request or form of a caller whose permissions
/// include the operation, or for an unsigned request for what is open to everybody.
struct Permit: Sendable {
  let operation: Operation
  /// The target of the request with its unsigned parameters, because the services act on them.
  let target: RequestTarget
  /// The permissions of the request, to check access to resources that only the request body specifies.
  let rights: RequestRights
  /// The decoder that removes the framing of the request body, or `nil` if the body is not framed.
  let decoder: (any BodyDecoder)?

  /// Creates a permit for a verified request, or for an unsigned one if `verified` is `nil`; returns `nil` if the rights do
  /// not include the operation.
  init?(
    _ verified: VerifiedRequest?, _ operation: Operation, on target: RequestTarget, copying source: NamedSource?,
    by rights: RequestRights
  ) {
    guard rights.isAnonymous == (verified == nil), rights.allow(operation, on: target, copying: source) else {
      return nil
    }
    (self.operation, self.target, self.rights) = (operation, target, rights)
    decoder = verified?.bodyDecoder
  }

  /// Creates a permit for a form upload, or returns `nil` if its permissions do not include the upload.
  init?(posting form: VerifiedForm, to target: RequestTarget, by rights: RequestRights) {
    guard rights.allowPosting(form.key, to: target.bucket?.string ?? "") else { return nil }
    (self.operation, self.target, self.rights, decoder) = (.putObject, target, rights, nil)
  }
}

/// The permissions of one request: the authority of the caller's key, the policies and access controls of the buckets
/// that it concerns, and the values that policy conditions test.
struct RequestRights: Sendable {
  let authority: Authority
  /// The account of the caller's key, or `nil` for an unsigned request.
  let account: String?
  /// The numbers of all accounts of the server, by which the owners that a request names are found.
  let accounts: Set<String>
  let service: SimulatedService
  let region: String
  /// A closure that returns the values that policy conditions test, by condition key; most requests need none.
  private(set) var facts: @Sendable () -> [String: String]
  let store: BucketTable

  var isAnonymous: Bool { account == nil }

  func denial(at date: Timestamp) -> ErrorResponse {
    isAnonymous ? service.anonymousRefusal(at: date) : service.policyRefusal(at: date)
  }

  /// Returns whether the request may perform an operation, as far as its head tells.
  ///
  /// Only the body lists the objects to delete: see ``allowDeleting(_:version:in:)``. A key with all rights of the
  /// account can always read, change and delete the policy of a bucket of the account.
  func allow(_ operation: Operation, on target: RequestTarget, copying source: NamedSource?) -> Bool {
    if operation.hasCopySource, source.map(allowReading) != true { return false }
    let (bucket, key, version) = (target.bucket?.string ?? "", target.key?.string, target["versionId"]?.string)
    let isOpen = !isAnonymous || operation.isPublicRead || operation.isPublicListing
    let isOwn = operation == .createBucket || isInitiator(operation, target)
    let isPermitted =
      isGranted(operation.permission, in: bucket, key, version) && !continuesUploadOfAnother(operation, target)
    let hasAccess = isOpen && (isOwn || isPermitted)
    if hasAccess, case .everything = authority, operation.isOfDocument,
      service.document(selectedBy: target).map({ $0.root == nil }) == true
    {
      return true
    }
    guard let (action, name) = request(for: operation, on: target) else {
      // No policy can mention the operation, so that only the account's own key, or an unsigned request, can perform it.
      return if case .everything = authority { hasAccess } else { isAnonymous && hasAccess }
    }
    if case .objectsOfBody = service.policies.permissions[operation]?.target { return !isAnonymous }
    let concernsForeignObject = operation.concernsObject && isForeign(key ?? "", version, in: bucket)
    if allows(action, name, hasAccess, isForeign: concernsForeignObject) { return true }
    return decision(action, name) != false && learnsAbsence(operation, target)
  }

  /// Returns whether an operation of S3 reads an object that does not exist and whose key the policy allows to list.
  ///
  /// S3 tells such a caller that the object does not exist, and not that the access is denied.
  private func learnsAbsence(_ operation: Operation, _ target: RequestTarget) -> Bool {
    let prefix = service.policies.language.conditions.parameters.first { $0.value == "prefix" }
    guard operation.isPublicRead, !service.buckets.objectsInheritAccess, let prefix, let key = target.key?.string,
      let (action, name) = request(for: .listObjects, on: target),
      (try? store.read(target.bucket?.string ?? "") { bucket in
        (try? bucket.object(ObjectKey(key), version: target["versionId"]?.string)) == nil
      }) == true
    else { return false }
    var rights = self
    rights.facts = { [facts] in facts().merging([prefix.key: key]) { $1 } }
    return rights.allows(action, name, false)
  }

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

  func allowPosting(_ key: String, to bucket: String) -> Bool {
    allows(service.policies.post, "\(bucket)/\(key)", isGranted(.write, in: bucket, key, nil))
  }

  private func allowReading(_ source: NamedSource) -> Bool {
    allowReading(source.key.string, version: source.version, in: source.bucket)
  }

  func allowReading(_ key: String, version: String?, in bucket: String) -> Bool {
    let action = service.policies.action(service.policies.read, ofVersion: version)
    return allows(
      action, "\(bucket)/\(key)", isGranted(.read, in: bucket, key, version),
      isForeign: isForeign(key, version, in: bucket))
  }

  /// Returns whether the request may delete an object that its body lists.
  func allowDeleting(_ key: String, version: String?, in bucket: String) -> Bool {
    guard let permission = service.policies.permissions[.deleteObjects] else { return false }
    let action = service.policies.action(permission.action, ofVersion: version)
    return allows(action, "\(bucket)/\(key)", isGranted(.write, in: bucket, key, version))
  }

  /// Returns whether an operation lists or aborts an upload that the caller's account initiated.
  private func isInitiator(_ operation: Operation, _ target: RequestTarget) -> Bool {
    guard [.abortUpload, .listParts].contains(operation), account != nil else { return false }
    return hasUpload(target) { upload, _ in upload.attributes.owner == account }
  }

  /// Returns whether an operation of S3 continues an upload of another account in a bucket of another account.
  private func continuesUploadOfAnother(_ operation: Operation, _ target: RequestTarget) -> Bool {
    guard operation.continuesUpload, !service.buckets.objectsInheritAccess else { return false }
    return hasUpload(target) { upload, bucketOwner in ![upload.attributes.owner, bucketOwner].contains(account) }
  }

  /// Returns whether the upload that a request names exists, and has a property, given also the bucket's owner.
  private func hasUpload(_ target: RequestTarget, _ property: (PendingUpload, String) -> Bool) -> Bool {
    guard let key = target.key else { return false }
    let name = UploadName(key: key, id: target["uploadId"] ?? "")
    let isFound = try? store.read(target.bucket?.string ?? "") { bucket in
      bucket.uploads[name].map { property($0, bucket.owner) } ?? false
    }
    return isFound == true
  }

  /// Returns whether the caller owns a bucket, or an object in it, or has a permission by the access control.
  private func isGranted(_ permission: Grant.Permission?, in name: String, _ key: String?, _ version: String?) -> Bool {
    let inherits = service.buckets.objectsInheritAccess
    let isAllowed = try? store.read(name) { bucket in
      var (owner, access, needed) = (bucket.owner, bucket.access, permission)
      let object = key.flatMap { try? bucket.object(ObjectKey($0), version: version) }
      let objectOwner = object?.attributes.owner ?? owner
      switch (permission, object) {
      case (nil, _): break
      case (.write?, _):
        // In S3, only the owners of an object and of its bucket replace it.
        if object != nil, !inherits, account != owner, account != objectOwner { return false }
        // Deleting the version of a delete marker would restore the object.
        if object == nil, version != nil, !inherits, account != owner { return false }
      case (_?, let object?):
        (owner, access) = (objectOwner, object.access ?? (inherits ? access : .private))
      // Who can read a bucket learns which keys it does not contain.
      case (_?, nil) where key != nil: needed = .read
      case (.read?, nil) where !service.buckets.publicCanBeListed: needed = nil
      case (_?, nil): break
      }
      if owner == account { return true }
      let grants = access.grants(owner: owner, bucketOwner: bucket.owner).filter { grant in
        needed.map { grant.covers($0) } == true && grant.includes(account)
      }
      return grants.contains { !$0.isOfGroup } || !grants.isEmpty && !bucket.settings.blocks("IgnorePublicAcls")
    }
    // The operation tells who asks for it that a bucket does not exist.
    return isAllowed ?? !isAnonymous
  }

  /// Returns whether an object of S3 belongs to another account than its bucket.
  private func isForeign(_ key: String, _ version: String?, in name: String) -> Bool {
    guard !service.buckets.objectsInheritAccess else { return false }
    let hasOtherOwner = try? store.read(name) { bucket in
      let owner = (try? bucket.object(ObjectKey(key), version: version))?.attributes.owner
      return owner != nil && owner != bucket.owner
    }
    return hasOtherOwner == true
  }

  /// Returns whether the request may perform an action; `name` is that of a bucket, or starts with it and a slash.
  ///
  /// The policy of a bucket denies, but does not allow, what concerns a foreign object.
  private func allows(_ action: String, _ name: String, _ hasAccess: Bool, isForeign: Bool = false) -> Bool {
    switch decision(action, name) {
    case false?: false
    case let decision:
      (hasAccess || (decision == true && !isForeign)) && (isAnonymous || authority.allows(input(action, name)))
    }
  }

  private func decision(_ action: String, _ name: String) -> Bool? {
    let bucketName = String(name.bytes(before: "/"))
    guard let text = try? store.read(bucketName, { $0.settings.documents?["policy"] }) else { return nil }
    // A policy was checked when it was stored. One that cannot be read denies everything.
    guard let policy = try? SessionPolicy(text, in: service.policies.language, ofBucket: true) else { return false }
    let isRestricted = try? store.read(bucketName) { bucket in
      account != bucket.owner && policy.isPublic && bucket.settings.blocks("RestrictPublicBuckets")
    }
    return isRestricted == true ? false : policy.decision(input(action, name))
  }

  private func input(_ action: String, _ name: String) -> PolicyInput {
    let own = try? store.read(String(name.bytes(before: "/"))) { $0.settings.region }
    return PolicyInput(
      action: action, resource: service.behavior.resource(name, in: own ?? region), facts: facts(),
      accounts: account.map { service.numbers(of: $0) + [service.ownerID($0)] } ?? [])
  }
}

/// The upper bound of the permissions of a caller's access key.
enum Authority: Sendable {
  /// No permissions, for requests without a signature.
  case nothing
  /// All permissions of the account that the caller's key belongs to.
  case everything
  case session(SessionPolicy)

  func allows(_ input: @autoclosure () -> PolicyInput) -> Bool {
    switch self {
    case .nothing: false
    case .everything: true
    case .session(let policy): policy.allows(input())
    }
  }
}
