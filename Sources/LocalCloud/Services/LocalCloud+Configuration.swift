public import HTTPServing
public import StorageAuth

extension LocalCloud {
  /// What a server needs to know before it starts.
  public struct Configuration: Sendable {
    /// Who may sign requests; all services know them all.
    public var accounts: [Account]

    /// The buckets to make in every service; those that are there already stay as they are.
    public var buckets: [String]

    /// The port of OSS; 0 picks a free one.
    public var ossPort: Int

    /// The port of COS; 0 picks a free one.
    public var cosPort: Int

    /// The port of S3; 0 picks a free one.
    public var s3Port: Int

    /// The directory for objects, which is made if it is not there and kept; nothing takes a temporary one, which is
    /// removed when the server stops.
    public var root: String?

    /// The region that OSS V4 signatures have to name; nothing takes any that is well-formed.
    public var region: String?

    /// The region that S3 stands in, and that its signatures have to name.
    public var s3Region: String

    /// Whether COS signatures have to cover the host, the content length, the token and every parameter.
    public var isStrict: Bool

    /// The origins of pages that may send requests to the storage services and read the answers, such as
    /// `https://app.example.com`; `*` stands for all.
    public var allowedOrigins: [String]

    /// The token services, the app server and the metadata.
    public var services: Services

    /// The Aspera node.
    public var aspera: Aspera

    /// What goes wrong from the start; ``LocalCloud/faults`` changes it later.
    public var faults: Faults

    /// How many connections each port holds, and how long a client may keep one of them waiting.
    public var limits = ConnectionLimits()

    /// The present, in UTC; tests step it.
    public var clock: @Sendable () -> Timestamp

    /// Waits, for faults alone; tests put in a wait that they end themselves.
    public var sleep: @Sendable @concurrent (Duration) async throws -> Void

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - accounts: Who may sign requests.
    ///   - buckets: The buckets to make in every service.
    ///   - ossPort: The port of OSS; 0 picks a free one.
    ///   - cosPort: The port of COS; 0 picks a free one.
    ///   - s3Port: The port of S3; 0 picks a free one.
    ///   - root: The directory for objects; nothing takes a temporary one.
    ///   - region: The region that OSS V4 signatures have to name; nothing takes any that is well-formed.
    ///   - s3Region: The region that S3 stands in.
    ///   - isStrict: Whether COS signatures have to cover everything.
    ///   - allowedOrigins: The origins of pages that may send requests to the storage services and read the answers.
    ///   - services: The token services, the app server and the metadata.
    ///   - aspera: The Aspera node.
    ///   - faults: What goes wrong from the start.
    ///   - clock: The present, in UTC.
    ///   - sleep: Waits, for faults alone.
    public init(
      accounts: [Account], buckets: [String] = [], ossPort: Int = 0, cosPort: Int = 0, s3Port: Int = 0,
      root: String? = nil, region: String? = nil, s3Region: String = "us-east-1", isStrict: Bool = false,
      allowedOrigins: [String] = [],
      services: Services = Services(), aspera: Aspera = Aspera(), faults: Faults = Faults(),
      clock: @escaping @Sendable () -> Timestamp = { .now },
      sleep: @escaping @Sendable @concurrent (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
      self.accounts = accounts
      self.buckets = buckets
      self.ossPort = ossPort
      self.cosPort = cosPort
      self.s3Port = s3Port
      self.root = root
      self.region = region
      self.s3Region = s3Region
      self.isStrict = isStrict
      self.allowedOrigins = allowedOrigins
      self.services = services
      self.aspera = aspera
      self.faults = faults
      self.clock = clock
      self.sleep = sleep
    }

    func check() throws(LocalCloudError) {
      if accounts.isEmpty {
        throw LocalCloudError("There is no account, so that nobody could sign a request; name at least one.")
      }
      for account in accounts where account.key.id.isEmpty || account.key.secret.isEmpty {
        throw LocalCloudError("The account \"\(account.key.id)\" has no id or no secret; give it both.")
      }
      let ids = accounts.map(\.key.id)
      if let twice = ids.first(where: { id in ids.count { $0 == id } > 1 }) {
        throw LocalCloudError("The account \"\(twice)\" is there twice; name it once.")
      }
      if let name = buckets.first(where: { !isBucketName($0) }) {
        throw LocalCloudError(
          "\"\(name)\" is not the name of a bucket; use 3 to 63 lower-case letters, digits and hyphens.")
      }
      for port in [ossPort, cosPort, s3Port, services.port, aspera.port, aspera.transferPort]
      where !(0...65_535).contains(port) {
        throw LocalCloudError("\(port) is not a port; use 0 to 65535.")
      }
      guard S3Dialect.isRegion(s3Region) else {
        throw LocalCloudError("\"\(s3Region)\" is not the name of a region; write it like eu-central-1.")
      }
      try services.check()
      try aspera.check()
    }
  }

  /// Somebody who may sign requests.
  public struct Account: Sendable {
    /// The key: permanent, or temporary with a session token and, if it is to end, an expiration.
    public var key: AccessKey

    /// Whether the key is switched off; a request that it signed is refused like one of an unknown key.
    public var isDisabled: Bool

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isDisabled: Whether the key is switched off.
    public init(_ key: AccessKey, isDisabled: Bool = false) {
      self.key = key
      self.isDisabled = isDisabled
    }
  }
}

/// Why a server cannot start: what is wrong and what to do about it, in a sentence.
public struct LocalCloudError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ description: String) {
    self.description = description.onOneLine
  }
}
