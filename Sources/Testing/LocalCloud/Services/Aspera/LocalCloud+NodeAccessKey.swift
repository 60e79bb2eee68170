// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// An access key of the simulated Aspera node.
  public struct NodeAccessKey: Sendable, Equatable {
    /// The ID of the access key, which serves as the user name for Basic authentication.
    public var id: String

    /// The secret of the access key, which serves as the password for Basic authentication.
    public var secret: Secret

    /// The public key, in PEM format, for verifying bearer tokens of this access key (`token_verification_key`).
    ///
    /// If `nil`, the node rejects all bearer tokens of this access key.
    public var tokenVerificationKey: String?

    /// The path of the folder that is the root of the access key (`storage.path`).
    ///
    /// Its callers name files relative to this folder and see no file outside of it. The folder is created if necessary.
    public var path: String

    /// The initial permissions of the access key's users, to which calls of `/permissions` add others.
    ///
    /// A bearer token whose scope ends in `user:all` gives access only to files to which a permission of its user, or of
    /// one of the user's groups, applies. A token whose scope ends in `admin:all`, and Basic authorization with the
    /// access key, need no permission.
    public var permissions: [NodePermission]

    /// Creates an access key of the simulated Aspera node.
    ///
    /// - Parameters:
    ///   - id: The ID of the access key.
    ///   - secret: The secret of the access key, which must not be empty.
    ///   - tokenVerificationKey: The public key, in PEM format, for verifying bearer tokens, or `nil` to reject all
    ///     bearer tokens of the access key.
    ///   - path: The path of the folder that is the root of the access key.
    ///   - permissions: The initial permissions of the access key's users.
    public init(
      id: String, secret: Secret, tokenVerificationKey: String? = nil, path: String = "/",
      permissions: [NodePermission] = []
    ) {
      self.id = id
      self.secret = secret
      self.tokenVerificationKey = tokenVerificationKey
      self.path = path
      self.permissions = permissions
    }

    func check() throws(LocalCloudError) {
      guard NodePath(path) != nil else {
        throw LocalCloudError("The path of the access key \"\(id)\" leads out of the root; choose another one.")
      }
      guard permissions.count <= FileRegister.permissionLimit else {
        throw LocalCloudError(
          "The access key \"\(id)\" has more than \(FileRegister.permissionLimit) permissions; give it fewer.")
      }
      for permission in permissions {
        guard NodePath(permission.path) != nil, !permission.grantee.id.isEmpty, !permission.levels.isEmpty else {
          throw LocalCloudError(
            """
            A permission of the access key "\(id)" has no grantee, no levels, or a path that leads out of the root; \
            give it all three.
            """)
        }
      }
    }
  }

  /// A permission of the simulated Aspera node: the rights of a user or a group on a file, or on a folder and everything
  /// below it.
  public struct NodePermission: Sendable, Equatable {
    /// A right on a file or folder (`access_levels`).
    ///
    /// The levels are those of IBM's description of the Node API 4.4.6.
    public enum AccessLevel: String, Sendable, CaseIterable {
      /// Lists a folder and describes its files.
      case list
      /// Reads the content of files, and downloads them.
      case read
      /// Creates files, and uploads them.
      case write
      /// Deletes files and folders.
      case delete
      /// Creates folders.
      case mkdir
      /// Renames files and folders.
      case rename
      /// Reads previews of files.
      case preview
    }

    /// The user or the group that a permission refers to.
    public enum Grantee: Sendable, Equatable {
      /// The user with an ID, which bearer tokens contain as `user_id`.
      case user(String)
      /// The group with an ID, which bearer tokens contain in `group_ids`.
      case group(String)

      /// The ID of the user or of the group.
      public var id: String {
        switch self {
        case .user(let id), .group(let id): id
        }
      }
    }

    /// The user or the group that the permission refers to.
    public var grantee: Grantee

    /// The rights that the permission grants.
    public var levels: Set<AccessLevel>

    /// The path of the file or folder, relative to the root of the access key.
    ///
    /// If the path does not exist, it is created as a folder.
    public var path: String

    /// Creates a permission of the simulated Aspera node.
    ///
    /// - Parameters:
    ///   - grantee: The user or the group that the permission refers to.
    ///   - levels: The rights that the permission grants; all by default.
    ///   - path: The path of the file or folder, relative to the root of the access key.
    public init(_ grantee: Grantee, levels: Set<AccessLevel> = Set(AccessLevel.allCases), path: String = "/") {
      self.grantee = grantee
      self.levels = levels
      self.path = path
    }
  }
}
