public import StorageAuth

extension LocalCloud {
  /// A role that keys are issued for.
  public struct Role: Sendable, Hashable {
    /// The name: `acs:ram::1250000000:role/app`, `qcs::cam::uin/1250000000:roleName/app` or
    /// `arn:aws:iam::125000000000:role/app`.
    public var arn: String

    /// The longest life of a key, in whole seconds; the services allow 1 to 12 hours.
    public var maximumDuration: Duration

    /// The ids of the keys that may take the role; nothing for every account.
    public var trustedKeys: Set<AccessKeyID>?

    /// Makes a role.
    ///
    /// - Parameters:
    ///   - arn: The name in the form of the cloud, which says which cloud it is of.
    ///   - maximumDuration: The longest life of a key.
    ///   - trustedKeys: The ids of the keys that may take it; nothing for every account.
    public init(_ arn: String, maximumDuration: Duration = .seconds(3600), trustedKeys: Set<AccessKeyID>? = nil) {
      self.arn = arn
      self.maximumDuration = maximumDuration
      self.trustedKeys = trustedKeys
    }

    /// A role of Alibaba Cloud that every account may take, for up to an hour.
    public static let alibaba = Role("acs:ram::1250000000:role/localcloud")

    /// A role of Tencent Cloud that every account may take, for up to twelve hours.
    public static let tencent = Role(
      "qcs::cam::uin/1250000000:roleName/localcloud", maximumDuration: .seconds(12 * 3600))

    /// A role of Amazon Web Services that every account may take, for up to twelve hours.
    public static let amazon = Role(
      "arn:aws:iam::125000000000:role/localcloud", maximumDuration: .seconds(12 * 3600))

    /// The service that keys of the role are for; `nil` if the name has the form of no cloud.
    var provider: Provider? { Provider.allCases.first { $0.dialect.roleResource(arn) != nil } }

    /// The last part of the name.
    var name: String { arn.parts(between: "/").last.map(String.init) ?? "" }
  }
}
