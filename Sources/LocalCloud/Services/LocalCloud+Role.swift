// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// A role for which temporary credentials are issued.
  public struct Role: Sendable, Hashable {
    /// The name of the role.
    ///
    /// Its format determines the vendor: `acs:ram::1250000000:role/app`, `qcs::cam::uin/1250000000:roleName/app` or
    /// `arn:aws:iam::125000000000:role/app`.
    public var arn: String

    /// The maximum lifetime of a credential, in whole seconds; the services allow 1 to 12 hours.
    public var maximumDuration: Duration

    /// The ids of the keys that may assume the role, or `nil` to allow all accounts.
    public var trustedKeys: Set<AccessKeyID>?

    /// Creates a role.
    ///
    /// - Parameters:
    ///   - arn: The name in the vendor's format, which determines the vendor.
    ///   - maximumDuration: The maximum lifetime of a credential.
    ///   - trustedKeys: The ids of the keys that may assume the role, or `nil` to allow all accounts.
    public init(_ arn: String, maximumDuration: Duration = .seconds(3600), trustedKeys: Set<AccessKeyID>? = nil) {
      self.arn = arn
      self.maximumDuration = maximumDuration
      self.trustedKeys = trustedKeys
    }

    /// A role of Alibaba Cloud that all accounts may assume, for up to an hour.
    public static let alibaba = Role("acs:ram::1250000000:role/localcloud")

    /// A role of Tencent Cloud that all accounts may assume, for up to twelve hours.
    public static let tencent = Role(
      "qcs::cam::uin/1250000000:roleName/localcloud", maximumDuration: .seconds(12 * 3600))

    /// A role of Amazon Web Services that all accounts may assume, for up to twelve hours.
    public static let amazon = Role(
      "arn:aws:iam::125000000000:role/localcloud", maximumDuration: .seconds(12 * 3600))

    /// The service that the role's credentials are for, or `nil` if the name is not in any vendor's format.
    var provider: Provider? { Provider.allCases.first { $0.dialect.roleResource(arn) != nil } }

    /// The last component of the name.
    var name: String { arn.parts(between: "/").last.map(String.init) ?? "" }
  }
}
