// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth
public import StorageAuthServer

extension LocalCloud {
  /// The configuration of a local server.
  public struct Configuration: Sendable {
    /// The accounts that can sign requests to all services of the server; at least one.
    public var accounts: [Account]
    /// The names of the buckets to create in every storage service, unless they already exist.
    public var buckets: [String]
    /// The port of the simulated OSS service; 0 selects a free port.
    public var ossPort: Int
    /// The port of the simulated COS service; 0 selects a free port.
    public var cosPort: Int
    /// The port of the simulated S3 service; 0 selects a free port.
    public var s3Port: Int
    /// The path of the data directory, which is created if necessary and never removed, or `nil` for a temporary one.
    public var root: String?
    /// The region that OSS V4 signatures must contain, or `nil` to accept any well-formed region.
    public var region: String?
    /// The region of the simulated S3 service, which S3 signatures must contain.
    public var s3Region: String
    /// Whether COS signatures must include the host, the content length, the token and every query parameter.
    public var isStrict: Bool
    /// The origins of web pages that can use the storage services, such as `https://app.example.com`, or `*` for all.
    public var allowedOrigins: [String]
    /// The configuration of the token services, the app server and the instance metadata service.
    public var services: Services
    /// The configuration of the simulated Aspera node.
    public var aspera: Aspera
    /// The faults that the server injects from the start; ``LocalCloud/faults`` changes them later.
    public var faults: Faults
    /// The configuration of the callbacks that OSS sends after uploads, or `nil` to reject uploads with a callback.
    public var callbacks: Callbacks?

    /// Whether multipart uploads can consist of parts of any size.
    ///
    /// Otherwise, the services reject an upload if a part other than the last is too small: in OSS below 100 KiB, in
    /// COS below 1 MiB, in S3 below 5 MiB. Tests save time with smaller parts.
    public var allowsSmallParts = false

    /// The IP address at which OSS, COS and S3 listen; by default they are reached from this machine only.
    ///
    /// Any other address needs a ``certificate``, or ``allowsPlainHTTP``. The token services, the app server, the
    /// metadata and Aspera, which give access without a signature, stay on this machine.
    public var address = "127.0.0.1"

    /// The domains by which clients reach OSS, COS and S3, such as `oss.test`.
    ///
    /// At the domain itself, the bucket is the first part of the path. Below it, as below any other domain, it is the
    /// first label of the host: `photos.oss.test`.
    public var domains: [String] = []

    /// The certificate of OSS, COS and S3, which then speak HTTPS alone, or `nil` for HTTP.
    public var certificate: ServerCertificate?
    /// Whether the storage services can be reached from other machines without encryption.
    public var allowsPlainHTTP = false
    /// The maximum number of connections per port, and the time limits for clients.
    public var limits = ConnectionLimits()
    /// The clock of the server, a closure that returns the current time in UTC; tests can replace it.
    public var clock: @Sendable () -> Timestamp
    /// The function with which injected faults and bandwidth limits wait; tests can replace it.
    public var sleep: @Sendable @concurrent (Duration) async throws -> Void

    /// Creates a configuration of a local server; the parameters are the properties.
    public init(
      accounts: [Account], buckets: [String] = [], ossPort: Int = 0, cosPort: Int = 0, s3Port: Int = 0,
      root: String? = nil, region: String? = nil, s3Region: String = "us-east-1", isStrict: Bool = false,
      allowedOrigins: [String] = [], services: Services = Services(), aspera: Aspera = Aspera(),
      faults: Faults = Faults(),
      clock: @escaping @Sendable () -> Timestamp = { .now },
      sleep: @escaping @Sendable @concurrent (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
      (self.accounts, self.buckets, self.ossPort, self.cosPort) = (accounts, buckets, ossPort, cosPort)
      (self.s3Port, self.root, self.region, self.s3Region) = (s3Port, root, region, s3Region)
      (self.isStrict, self.allowedOrigins, self.services, self.aspera) = (isStrict, allowedOrigins, services, aspera)
      (self.faults, self.clock, self.sleep) = (faults, clock, sleep)
    }

    func check() throws(LocalCloudError) {
      try LocalCloudError.require(
        !accounts.isEmpty, "There is no account, so that no request could be signed; configure at least one.")
      for account in accounts where account.key.id.isEmpty || account.key.secret.isEmpty {
        throw LocalCloudError("The account \"\(account.key.id)\" has no id or no secret; give it both.")
      }
      let ownNumbers = [SimulatedService.account, SimulatedS3.accountNumber]
      for number in accounts.compactMap(\.number) where Int64(digits: number) == nil || ownNumbers.contains(number) {
        throw LocalCloudError("\"\(number)\" is no number of another account; use digits, and none of \(ownNumbers).")
      }
      try LocalCloudError.requireUnique(accounts.map(\.key.id.string)) { "account \"\($0)\"" }
      for name in buckets where !isBucketName(name) {
        throw LocalCloudError("\"\(name)\" is no name of a bucket; use 3 to 63 lower-case letters, digits and hyphens.")
      }
      let ports = [ossPort, cosPort, s3Port, services.port, aspera.port, aspera.transferPort, aspera.applicationsPort]
      for port in ports where !(0...65_535).contains(port) {
        throw LocalCloudError("\(port) is not a port; use 0 to 65535.")
      }
      let isLocalAddress = LoopbackHost.isNamed(by: address) || LoopbackHost.isNamed(by: "[\(address)]")
      if certificate == nil, !allowsPlainHTTP, !isLocalAddress {
        throw LocalCloudError(
          "Other machines would reach the server at \(address) without encryption; give it a certificate, or allow "
            + "plain HTTP in a network that you trust.")
      }
      try LocalCloudError.require(
        SimulatedS3.isRegion(s3Region), "\"\(s3Region)\" is not the name of a region; write it like eu-central-1.")
      try services.check()
      try aspera.check()
      try aspera.checkApplications(accessKeys: accounts.map(\.key.id.string) + aspera.accessKeys.map(\.id))
    }
  }

  /// An account whose access key can sign requests to the local server.
  public struct Account: Sendable {
    /// The access key: permanent, or temporary with a session token and optionally an expiration.
    public var key: AccessKey
    /// Whether a request that is signed with the key is rejected like a request with an unknown key.
    public var isDisabled: Bool

    /// The number of the account that the key belongs to, in digits, or `nil` for that of the server itself.
    ///
    /// An account owns the buckets that it creates, and the server's own account those of the configuration. Other
    /// accounts need a grant or a bucket policy.
    public var number: String?

    /// Creates an account with an access key; the parameters are the properties.
    public init(_ key: AccessKey, isDisabled: Bool = false, number: String? = nil) {
      (self.key, self.isDisabled, self.number) = (key, isDisabled, number)
    }
  }

  /// The configuration of the token services, the app server and the instance metadata service, which share one port.
  public struct Services: Sendable {
    /// The port of the token services, the app server and the instance metadata service; 0 selects a free port.
    public var port: Int
    /// The roles that callers can assume; the app server and the metadata service use the first role of each vendor.
    public var roles: [Role]

    /// The lifetime of every issued temporary credential, or `nil` to use the requested lifetime.
    ///
    /// It must be at least one second, and overrides the limits of the services, such as the minimum of 900 seconds.
    public var tokenLifetime: Duration?

    /// The bearer token that callers of the app server must send, or `nil` to accept all callers.
    public var appToken: Secret?
    /// The OIDC identity tokens that callers can exchange for temporary credentials; every role trusts these tokens.
    public var identityTokens: [Secret]
    /// Whether requests for instance metadata need a token from a PUT request (IMDSv2), if the vendor has such tokens.
    public var requiresMetadataToken: Bool

    /// Creates a configuration of the services that share a port; the parameters are the properties.
    public init(
      port: Int = 0, roles: [Role] = [.alibaba, .tencent, .amazon], tokenLifetime: Duration? = nil,
      appToken: Secret? = nil, identityTokens: [Secret] = [], requiresMetadataToken: Bool = false
    ) {
      (self.port, self.roles, self.tokenLifetime, self.appToken) = (port, roles, tokenLifetime, appToken)
      (self.identityTokens, self.requiresMetadataToken) = (identityTokens, requiresMetadataToken)
    }

    func check() throws(LocalCloudError) {
      for role in roles {
        try LocalCloudError.require(
          role.provider != nil,
          "\"\(role.arn)\" is not a role; write acs:ram::ACCOUNT:role/NAME, qcs::cam::uin/ACCOUNT:roleName/NAME or "
            + "arn:aws:iam::ACCOUNT:role/NAME.")
        try LocalCloudError.require(
          role.maximumDuration >= .seconds(1),
          "The maximum lifetime of the role \"\(role.arn)\" is less than one second.")
      }
      try LocalCloudError.requireUnique(roles.map(\.arn)) { "role \"\($0)\"" }
      if let tokenLifetime, tokenLifetime < .seconds(1) {
        throw LocalCloudError("Tokens must be valid for a second; use requestsPerCredential to expire them at once.")
      }
    }
  }
}

/// An error that explains why a local server cannot start, and how to fix it.
public struct LocalCloudError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason why the server cannot start and how to fix it, on a single line.
  public let description: String

  init(_ description: String) { self.description = description.onOneLine }

  static func require(_ condition: Bool, _ description: @autoclosure () -> String) throws(LocalCloudError) {
    if !condition { throw LocalCloudError(description()) }
  }

  /// Throws an error if a name occurs twice; `describe` returns a name with its kind, such as `role "app"`.
  static func requireUnique(_ names: [String], describe: (String) -> String) throws(LocalCloudError) {
    if let repeated = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw LocalCloudError("The \(describe(repeated)) is listed twice; list it once.")
    }
  }
}
