// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// A role for which the local server issues temporary credentials.
  public struct Role: Sendable, Hashable {
    /// The resource name of the role, in the vendor's format.
    ///
    /// The format determines the vendor: `acs:ram::1250000000:role/app`, `qcs::cam::uin/1250000000:roleName/app` or
    /// `arn:aws:iam::125000000000:role/app`.
    public var arn: String

    /// The maximum lifetime of the role's temporary credentials, in whole seconds; the real services allow 1 to 12
    /// hours.
    public var maximumDuration: Duration

    /// The IDs of the access keys that can assume the role, or `nil` to allow all accounts.
    public var trustedKeys: Set<AccessKeyID>?

    /// Creates a role for temporary credentials.
    ///
    /// - Parameters:
    ///   - arn: The resource name in the vendor's format, which determines the vendor.
    ///   - maximumDuration: The maximum lifetime of the role's temporary credentials.
    ///   - trustedKeys: The IDs of the access keys that can assume the role, or `nil` to allow all accounts.
    public init(_ arn: String, maximumDuration: Duration = .seconds(3600), trustedKeys: Set<AccessKeyID>? = nil) {
      self.arn = arn
      self.maximumDuration = maximumDuration
      self.trustedKeys = trustedKeys
    }

    /// An Alibaba Cloud role that all accounts can assume for up to one hour.
    public static let alibaba = Role("acs:ram::1250000000:role/localcloud")

    /// A Tencent Cloud role that all accounts can assume for up to twelve hours.
    public static let tencent = Role(
      "qcs::cam::uin/1250000000:roleName/localcloud", maximumDuration: .seconds(12 * 3600))

    /// An Amazon Web Services role that all accounts can assume for up to twelve hours.
    public static let amazon = Role(
      "arn:aws:iam::125000000000:role/localcloud", maximumDuration: .seconds(12 * 3600))

    /// The storage service that accepts the role's credentials, or `nil` if the role's name is not in a vendor's
    /// format.
    var provider: Provider? { Provider.allCases.first { $0.dialect.roleResource(arn) != nil } }

    /// The role's short name, which is the last component of the resource name.
    var name: String { arn.parts(between: "/").last.map(String.init) ?? "" }
  }
}
