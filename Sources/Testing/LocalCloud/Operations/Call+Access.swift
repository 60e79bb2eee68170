// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

// Pages: S3, "Access control list (ACL) overview"; COS, "ACL Overview".

extension Call {
  func readBucketAccess() throws -> Answer {
    let bucket = try store.read(bucket) { $0 }
    return service.accessAnswer(bucket.access, of: bucket.owner, in: bucket.owner)
  }

  func changeBucketAccess() async throws -> Answer {
    let owner = try store.read(bucket) { $0.owner }
    let access = try await changedAccess(isObject: false, of: owner)
    try await store.configure(bucket) { $0.access = access ?? $0.access }
    return Answer()
  }

  func readObjectAccess() throws -> Answer {
    let object = try requestedObject()
    let owner = try store.read(bucket) { $0.owner }
    return service.accessAnswer(object.access, of: object.attributes.owner ?? owner, in: owner)
  }

  func changeObjectAccess() async throws -> Answer {
    let object = try requestedObject()
    let owner = try store.read(bucket) { object.attributes.owner ?? $0.owner }
    let access = try await changedAccess(isObject: true, of: owner)
    try await replace(object) { $0.with(access: access) }
    return Answer()
  }

  /// Returns the access control in the document or the headers of a request that changes it, or `nil` for the default.
  private func changedAccess(isObject: Bool, of owner: String) async throws -> AccessControl? {
    let requested = try requestedAccess(isObject: isObject)
    let isInHeaders = requested != nil || serviceHeader(accessHeader(ofObject: isObject)) != nil
    guard service.buckets.acceptsGrants || isInHeaders else { throw Self.grantsNotSupported }
    let document = service.buckets.acceptsGrants ? try await readOptionalDocument(named: "AccessControlPolicy") : nil
    switch (document, isInHeaders) {
    case (nil, true): return requested
    case (nil, false):
      throw ErrorResponse(.badRequest, "MissingSecurityHeader", "Your request was missing a required header.")
    case (_?, true): throw ErrorResponse(.badRequest, "UnexpectedContent", "This request does not support content.")
    case (let document?, false): return try access(in: document, of: owner)
    }
  }

  private static let grantsNotSupported = ErrorResponse.notImplemented(
    "The service has access control only by name, and no grants to single accounts.")

  private func accessHeader(ofObject isObject: Bool) -> String { isObject ? service.headers.objectAccess : "acl" }

  /// Returns the access control that the headers name or grant, or `nil` for the default.
  func requestedAccess(isObject: Bool = true) throws(ErrorResponse) -> AccessControl? {
    let name = serviceHeader(accessHeader(ofObject: isObject))
    var grants: [Grant] = []
    for permission in Grant.Permission.allCases {
      for item in (headers.joined(service.header(permission.header)) ?? "").words(between: ",") {
        let kindAndValue = item.parts(between: "=", maxSplits: 1).map { String($0.trimmingBlanks) }
        let grantee = try grantee(kind: kindAndValue[0], value: kindAndValue.dropFirst().first?.unquoted ?? "")
        grants.append(Grant(grantee: grantee, permission: permission))
      }
    }
    if !grants.isEmpty {
      guard service.buckets.acceptsGrants else { throw Self.grantsNotSupported }
      guard name == nil else { throw .invalidRequest("Specifying both Canned ACLs and Header Grants is not allowed") }
      return try checked(AccessControl(grants))
    }
    guard let name, !(isObject && name == "default") else { return nil }
    if let access = service.buckets.access.first(where: { $0.rawValue == name }) { return try checked(access) }
    let names = service.buckets.access.map(\.rawValue).joined(separator: ", ")
    throw .invalidArgument("The access control \"\(name)\" is invalid; use one of \(names).")
  }

  /// Returns the access control in a document, which must name the owner as it is.
  private func access(in document: XMLNode, of owner: String) throws(ErrorResponse) -> AccessControl {
    guard let list = document["AccessControlList"], let id = document["Owner"]?["ID"]?.text else {
      throw .malformedXML("The document needs an Owner with an ID, and an AccessControlList.")
    }
    guard try grantee(kind: "ID", value: id) == owner else { throw .accessDenied("The document has another Owner.") }
    let grants = try list.all("Grant").map { element throws(ErrorResponse) in
      guard let permission = (element["Permission"]?.text).flatMap({ Grant.Permission(rawValue: $0) }),
        let granteeElement = element["Grantee"]?.children.first(where: { $0.name != "DisplayName" })
      else { throw .malformedXML("A Grant needs a Grantee and a Permission.") }
      return Grant(grantee: try grantee(kind: granteeElement.name, value: granteeElement.text), permission: permission)
    }
    return try checked(AccessControl(grants))
  }

  private static let grantLimit = 100

  /// Returns the access control, or throws if it has too many grants, or if the bucket blocks grants to groups.
  private func checked(_ access: AccessControl) throws(ErrorResponse) -> AccessControl {
    // Grants to groups do not depend on the owners, and a canned access control has far fewer grants than the limit.
    let grants = access.grants(owner: "", bucketOwner: "")
    guard grants.count <= Self.grantLimit else {
      throw .invalidRequest("An access control has at most \(Self.grantLimit) grants.")
    }
    guard grants.contains(where: \.isOfGroup),
      (try? store.read(bucket) { $0.settings.blocks("BlockPublicAcls") }) == true
    else { return access }
    throw service.policyRefusal(at: date)
  }

  /// Returns the number of an account that has a key of this server, or the name of a group.
  private func grantee(kind: String, value: String) throws(ErrorResponse) -> String {
    switch kind.asciiLowercased {
    case "id":
      let id = value.words(between: "/").last.map(String.init)
      if let number = rights.allAccounts.first(where: { service.ownerID($0) == id }) { return number }
      throw .invalidArgument("Invalid id: the server has no account \"\(value)\".")
    case "uri":
      let group = value.removingBytePrefix(service.buckets.groupURIPrefix ?? "").map(String.init)
      if let group, [Grant.everybody, Grant.everyAccount].contains(group) { return group }
      throw .invalidArgument("Invalid group uri: \"\(value)\".")
    case "emailaddress":
      throw ErrorResponse(.methodNotAllowed, "MethodNotAllowed", "Grants name an account by its id, not by its email.")
    default: throw .invalidArgument("Argument format not recognized: write id=\"…\" or uri=\"…\".")
    }
  }
}
