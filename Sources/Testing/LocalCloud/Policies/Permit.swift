// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The permission to perform the operation of a request to a storage service.
///
/// It can be created only for a verified request or form of a caller whose permissions include the operation, or for an
/// unsigned request for what is public.
struct Permit: Sendable {
  let operation: Operation
  /// The target of the request with its unsigned parameters, because the services act on them.
  let target: RequestTarget
  /// The permissions of the request, to check access to resources that only the request body specifies.
  let rights: RequestRights
  let decoder: (any BodyDecoder)?

  /// Creates a permit for a verified or, with `nil`, an unsigned request; returns `nil` if the rights do not suffice.
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

  init?(posting form: VerifiedForm, to target: RequestTarget, by rights: RequestRights) {
    guard rights.allowPosting(form.key, to: target.bucketName) else { return nil }
    (self.operation, self.target, self.rights, decoder) = (.putObject, target, rights, nil)
  }
}

/// The permissions of one request, from the caller's key and the policies and access controls of buckets.
///
/// An action is allowed under three conditions (see `isAllowed`): the bucket's policy does not deny it, that policy or
/// the access control of the bucket or object allows it, and so does the caller's session policy.
struct RequestRights: Sendable {
  let authority: Authority
  /// The account of the caller's key, or `nil` for an unsigned request.
  let account: String?
  let allAccounts: Set<String>
  let service: SimulatedService
  let region: String
  /// A closure that returns the values that policy conditions test, by condition key; most requests need none.
  private(set) var facts: @Sendable () -> [String: String]
  let store: BucketTable

  var isAnonymous: Bool { account == nil }

  func denial(at date: Timestamp) -> ErrorResponse {
    isAnonymous ? service.anonymousRefusal(at: date) : service.policyRefusal(at: date)
  }

  /// Returns whether the request may perform an operation; see ``allowDeleting(_:version:in:)`` for listed objects.
  ///
  /// A key with all rights of the account can always read, change and delete the policy of a bucket of the account.
  func allow(_ operation: Operation, on target: RequestTarget, copying source: NamedSource?) -> Bool {
    let mayReadSource = source.map { allowReading($0.key.string, version: $0.version, in: $0.bucket) } ?? false
    if operation.hasCopySource, !mayReadSource { return false }
    let hasAccess = accessControlAllows(operation, on: target)
    let document = operation.isOfDocument ? service.document(selectedBy: target) : nil
    // This comes before the bucket's policy, because a policy that denies everything could otherwise not be removed.
    if hasAccess, authority.isUnlimited, document?.isPolicy == true { return true }
    guard let (action, name) = actionAndName(for: operation, on: target) else {
      // No policy can name the operation, so that only the account's own key or an unsigned request can perform it.
      return hasAccess && (isAnonymous || authority.isUnlimited)
    }
    // The operation itself checks each object, as soon as it has read the body.
    if case .objectsOfBody = service.policies.permissions[operation]?.target { return !isAnonymous }
    let concernsForeignObject =
      operation.concernsObject && isForeign(target.key?.string ?? "", version: target.version, in: target.bucketName)
    if isAllowed(action, on: name, byAccessControl: hasAccess, isForeign: concernsForeignObject) { return true }
    return bucketPolicyDecision(action, name) != .denied && mayLearnAbsence(operation, target)
  }

  /// Returns whether the owners and the access controls of a bucket and its objects allow an operation.
  private func accessControlAllows(_ operation: Operation, on target: RequestTarget) -> Bool {
    guard !isAnonymous || operation.isPublicRead || operation.isPublicListing else { return false }
    if operation == .createBucket || isInitiator(operation, target) { return true }
    if continuesUploadOfAnother(operation, target) { return false }
    return accessControlGrants(
      operation.requiredGrant, in: target.bucketName, key: target.key?.string, version: target.version)
  }

  /// Returns whether the request reads an object that does not exist, and whose key the policy allows to list.
  ///
  /// S3 tells such a caller that the object does not exist, and not that the access is denied.
  private func mayLearnAbsence(_ operation: Operation, _ target: RequestTarget) -> Bool {
    let prefix = service.policies.language.conditions.parameters.first { $0.value == "prefix" }
    guard operation.isPublicRead, !service.buckets.objectsInheritAccess, let prefix, let key = target.key?.string,
      let (action, name) = actionAndName(for: .listObjects, on: target)
    else { return false }
    let isAbsent = try? store.read(target.bucketName) { bucket in
      (try? bucket.object(ObjectKey(key), version: target.version)) == nil
    }
    guard isAbsent == true else { return false }
    var listingRights = self
    listingRights.facts = { [facts] in facts().merging([prefix.key: key]) { $1 } }
    return listingRights.isAllowed(action, on: name, byAccessControl: false)
  }

  /// Returns the action and the resource that a policy must allow, or `nil` if no policy can name the operation.
  private func actionAndName(for operation: Operation, on target: RequestTarget) -> (action: String, name: String)? {
    let bucket = target.bucketName
    let bucketResource = bucket + service.policies.bucketSuffix
    if operation.isOfDocument, let document = service.document(selectedBy: target) {
      return (service.policies.action(document.action(of: operation)), bucketResource)
    }
    guard let permission = service.policies.permissions[operation] else { return nil }
    let name =
      switch permission.target {
      case .service: ""
      case .bucket: bucketResource
      case .list: "\(bucket)/\(target["prefix"] ?? "")"
      case .object: "\(bucket)/\(target.key ?? "")"
      case .objectsOfBody: bucket
      }
    return (service.policies.action(permission.action, ofVersion: target.version), name)
  }

  func allowPosting(_ key: String, to bucket: String) -> Bool {
    let hasAccess = accessControlGrants(.write, in: bucket, key: key)
    return isAllowed(service.policies.formUploadAction, on: "\(bucket)/\(key)", byAccessControl: hasAccess)
  }

  func allowReading(_ key: String, version: String?, in bucket: String) -> Bool {
    let action = service.policies.action(service.policies.copySourceAction, ofVersion: version)
    let hasAccess = accessControlGrants(.read, in: bucket, key: key, version: version)
    let isForeign = isForeign(key, version: version, in: bucket)
    return isAllowed(action, on: "\(bucket)/\(key)", byAccessControl: hasAccess, isForeign: isForeign)
  }

  /// Returns whether the request may delete a listed object; a bucket's policy can allow it even for a foreign one.
  func allowDeleting(_ key: String, version: String?, in bucket: String) -> Bool {
    guard let permission = service.policies.permissions[.deleteObjects] else { return false }
    let action = service.policies.action(permission.action, ofVersion: version)
    let hasAccess = accessControlGrants(.write, in: bucket, key: key, version: version)
    return isAllowed(action, on: "\(bucket)/\(key)", byAccessControl: hasAccess)
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

  /// Returns whether the upload that a request names exists and fulfills a predicate, which also gets the bucket owner.
  private func hasUpload(_ target: RequestTarget, where predicate: (PendingUpload, String) -> Bool) -> Bool {
    guard let key = target.key else { return false }
    let name = UploadName(key: key, id: target["uploadId"] ?? "")
    let isFound = try? store.read(target.bucketName) { bucket in
      bucket.uploads[name].map { predicate($0, bucket.owner) } ?? false
    }
    return isFound == true
  }

  /// Returns whether the caller owns a bucket, or an object in it, or has a permission by the access control.
  private func accessControlGrants(
    _ permission: Grant.Permission?, in bucketName: String, key: String?, version: String? = nil
  ) -> Bool {
    let inheritsAccess = service.buckets.objectsInheritAccess
    let isGranted = try? store.read(bucketName) { bucket in
      let object = key.flatMap { try? bucket.object(ObjectKey($0), version: version) }
      if permission == .write, forbidsWriting(object, version: version, in: bucket) { return false }
      // The bucket's owner and access control decide about writes, and about what no access control can permit.
      let decidingObject = permission == nil || permission == .write ? nil : object
      let owner = decidingObject?.attributes.owner ?? bucket.owner
      if owner == account { return true }
      let access = decidingObject.map { $0.access ?? (inheritsAccess ? bucket.access : .private) } ?? bucket.access
      let neededPermission: Grant.Permission? =
        switch permission {
        case nil, .write: permission
        case _ where object != nil: permission
        // A caller who can read a bucket learns which keys it does not contain.
        case _ where key != nil: .read
        case .read where !service.buckets.publicCanBeListed: nil
        default: permission
        }
      guard let neededPermission else { return false }
      let ignoresGroups = bucket.settings.blocks("IgnorePublicAcls")
      return access.grants(owner: owner, bucketOwner: bucket.owner).contains { grant in
        grant.covers(neededPermission) && grant.includes(account) && !(grant.isOfGroup && ignoresGroups)
      }
    }
    // The operation itself reports a missing bucket, but only to a signed request.
    return isGranted ?? !isAnonymous
  }

  /// Returns whether the caller must not replace an object, or delete a version without an object, in a bucket of S3.
  private func forbidsWriting(_ object: StoredObject?, version: String?, in bucket: Bucket) -> Bool {
    guard !service.buckets.objectsInheritAccess, account != bucket.owner else { return false }
    // Only the owners of an object and of its bucket can replace it. Deleting a delete marker would restore the object.
    return if let object { account != object.attributes.owner ?? bucket.owner } else { version != nil }
  }

  /// Returns whether an object of S3 belongs to another account than its bucket.
  private func isForeign(_ key: String, version: String?, in bucketName: String) -> Bool {
    guard !service.buckets.objectsInheritAccess else { return false }
    let hasOtherOwner = try? store.read(bucketName) { bucket in
      let owner = (try? bucket.object(ObjectKey(key), version: version))?.attributes.owner
      return owner != nil && owner != bucket.owner
    }
    return hasOtherOwner == true
  }

  /// Returns whether the request may perform an action; `name` is that of a bucket, or starts with it and a slash.
  ///
  /// The policy of a bucket denies, but does not allow, what concerns a foreign object.
  private func isAllowed(
    _ action: String, on name: String, byAccessControl hasAccess: Bool, isForeign: Bool = false
  ) -> Bool {
    switch bucketPolicyDecision(action, name) {
    case .denied: return false
    case .allowed where !isForeign: break
    case .allowed, .undecided: guard hasAccess else { return false }
    }
    return isAnonymous || authority.allows(policyInput(action, name))
  }

  private func bucketPolicyDecision(_ action: String, _ name: String) -> PolicyDocument.Decision {
    let bucketName = String(name.bytes(before: "/"))
    guard let text = try? store.read(bucketName, { $0.settings.documents?["policy"] }) else { return .undecided }
    // A policy was checked when it was stored. One that cannot be read denies everything.
    guard let policy = try? PolicyDocument(text, in: service.policies.language, ofBucket: true) else { return .denied }
    let isRestricted = try? store.read(bucketName) { bucket in
      account != bucket.owner && policy.isPublic && bucket.settings.blocks("RestrictPublicBuckets")
    }
    return isRestricted == true ? .denied : policy.decision(policyInput(action, name))
  }

  private func policyInput(_ action: String, _ name: String) -> PolicyInput {
    let bucketRegion = try? store.read(String(name.bytes(before: "/"))) { $0.settings.region }
    return PolicyInput(
      action: action, resource: service.behavior.resource(name, in: bucketRegion ?? region), facts: facts(),
      accounts: account.map { service.numbers(of: $0) + [service.ownerID($0)] } ?? [])
  }
}

/// The upper bound of the permissions of a caller's access key.
enum Authority: Sendable {
  /// No permissions, for requests without a signature.
  case nothing
  /// All permissions of the account that the caller's key belongs to.
  case everything
  case session(PolicyDocument)

  var isUnlimited: Bool { if case .everything = self { true } else { false } }

  func allows(_ input: @autoclosure () -> PolicyInput) -> Bool {
    switch self {
    case .nothing: false
    case .everything: true
    case .session(let policy): policy.allows(input())
    }
  }
}

extension RequestTarget {
  /// The name of the bucket, or an empty string if the target is the service.
  var bucketName: String { bucket?.string ?? "" }
  /// The ID of the version that the request names, or `nil` if it names none.
  var version: String? { self["versionId"]?.string }
}
