// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The access control of a bucket or object, which applies to everybody but its owner.
struct AccessControl: RawRepresentable, Hashable, Sendable, Codable {
  /// The name of a canned access control, or a line for each grant.
  let rawValue: String

  static let `private` = AccessControl(rawValue: "private")
  static let publicRead = AccessControl(rawValue: "public-read")
  static let publicReadWrite = AccessControl(rawValue: "public-read-write")
  static let authenticatedRead = AccessControl(rawValue: "authenticated-read")
  static let bucketOwnerRead = AccessControl(rawValue: "bucket-owner-read")
  static let bucketOwnerFullControl = AccessControl(rawValue: "bucket-owner-full-control")
  static let canned = [
    `private`, publicRead, publicReadWrite, authenticatedRead, bucketOwnerRead, bucketOwnerFullControl,
  ]

  var isPublic: Bool {
    grants(owner: "", bucketOwner: "").contains { $0.grantee == Grant.everybody && $0.covers(.read) }
  }

  /// Returns the grants, given the numbers of the accounts that own the object or bucket, and the bucket.
  func grants(owner: String, bucketOwner: String) -> [Grant] {
    let full = Grant(grantee: owner, permission: .fullControl)
    let read = Grant(grantee: Grant.everybody, permission: .read)
    let grantsToBucketOwner = { permission in
      owner == bucketOwner ? [] : [Grant(grantee: bucketOwner, permission: permission)]
    }
    switch self {
    case .private: return [full]
    case .publicRead: return [full, read]
    case .publicReadWrite: return [full, read, Grant(grantee: Grant.everybody, permission: .write)]
    case .authenticatedRead: return [full, Grant(grantee: Grant.everyAccount, permission: .read)]
    case .bucketOwnerRead: return [full] + grantsToBucketOwner(.read)
    case .bucketOwnerFullControl: return [full] + grantsToBucketOwner(.fullControl)
    default:
      return rawValue.words(between: "\n").compactMap { line in
        let words = line.words(between: " ").map(String.init)
        return Grant.Permission(rawValue: words[0]).map { Grant(grantee: words[1], permission: $0) }
      }
    }
  }
}

extension AccessControl {
  init(_ grants: [Grant]) {
    rawValue = grants.map { "\($0.permission.rawValue) \($0.grantee)" }.joined(separator: "\n")
  }
}

/// A permission that an access control gives to an account or a group of accounts.
struct Grant: Sendable {
  enum Permission: String, Sendable, CaseIterable {
    case read = "READ"
    case write = "WRITE"
    case readAccess = "READ_ACP"
    case writeAccess = "WRITE_ACP"
    case fullControl = "FULL_CONTROL"

    /// The name of the header that gives the permission, without the service's prefix.
    var header: String { "grant-\(rawValue.asciiLowercased.words(between: "_").joined(separator: "-"))" }
  }

  static let everybody = "AllUsers"
  static let everyAccount = "AuthenticatedUsers"

  /// The number of an account, or the name of a group.
  let grantee: String
  let permission: Permission

  var isOfGroup: Bool { [Self.everybody, Self.everyAccount].contains(grantee) }
  func covers(_ other: Permission) -> Bool { permission == .fullControl || permission == other }

  /// Returns whether an account has the permission; `nil` stands for a caller without one.
  func includes(_ account: String?) -> Bool {
    grantee == Self.everybody || account != nil && (grantee == Self.everyAccount || grantee == account)
  }
}
