// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPServing
public import StorageAuth

extension LocalCloud {
  /// The configuration of a server.
  public struct Configuration: Sendable {
    /// The accounts that may sign requests; they apply to all services.
    public var accounts: [Account]

    /// The buckets to create in every service, unless they exist.
    public var buckets: [String]

    /// The port of OSS; 0 selects a free port.
    public var ossPort: Int

    /// The port of COS; 0 selects a free port.
    public var cosPort: Int

    /// The port of S3; 0 selects a free port.
    public var s3Port: Int

    /// The data directory, which is created if necessary and never removed.
    ///
    /// If it is `nil`, the server uses a temporary directory, which it removes when it stops.
    public var root: String?

    /// The region that OSS V4 signatures must name, or `nil` to accept any well-formed region.
    public var region: String?

    /// The region of S3, which its signatures must name.
    public var s3Region: String

    /// Whether COS signatures must cover the host, the content length, the token and every parameter.
    public var isStrict: Bool

    /// The origins of pages that may send requests to the storage services and read the responses.
    ///
    /// An origin is a string such as `https://app.example.com`; `*` allows all origins.
    public var allowedOrigins: [String]

    /// The configuration of the token services, the app server and the instance metadata.
    public var services: Services

    /// The configuration of the Aspera node.
    public var aspera: Aspera

    /// The faults that apply from the start; ``LocalCloud/faults`` changes them later.
    public var faults: Faults

    /// The maximum number of connections per port, and the time limits for clients.
    public var limits = ConnectionLimits()

    /// The clock, which returns the current time in UTC; tests can replace it.
    public var clock: @Sendable () -> Timestamp

    /// The sleep function of injected faults; tests can replace it by a wait that they control.
    public var sleep: @Sendable @concurrent (Duration) async throws -> Void

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - accounts: The accounts that may sign requests.
    ///   - buckets: The buckets to create in every service.
    ///   - ossPort: The port of OSS; 0 selects a free port.
    ///   - cosPort: The port of COS; 0 selects a free port.
    ///   - s3Port: The port of S3; 0 selects a free port.
    ///   - root: The data directory, or `nil` for a temporary one.
    ///   - region: The region that OSS V4 signatures must name, or `nil` to accept any well-formed region.
    ///   - s3Region: The region of S3.
    ///   - isStrict: Whether COS signatures must cover the host, the content length, the token and every parameter.
    ///   - allowedOrigins: The origins of pages that may send requests to the storage services and read the responses.
    ///   - services: The configuration of the token services, the app server and the instance metadata.
    ///   - aspera: The configuration of the Aspera node.
    ///   - faults: The faults that apply from the start.
    ///   - clock: The clock, which returns the current time in UTC.
    ///   - sleep: The sleep function of injected faults.
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
        throw LocalCloudError("There is no account, so that no request could be signed; configure at least one.")
      }
      for account in accounts where account.key.id.isEmpty || account.key.secret.isEmpty {
        throw LocalCloudError("The account \"\(account.key.id)\" has no id or no secret; give it both.")
      }
      let ids = accounts.map(\.key.id)
      if let twice = ids.first(where: { id in ids.count { $0 == id } > 1 }) {
        throw LocalCloudError("The account \"\(twice)\" is listed twice; list it once.")
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

  /// An account that may sign requests.
  public struct Account: Sendable {
    /// The key: permanent, or temporary with a session token and optionally an expiration.
    public var key: AccessKey

    /// Whether the key is disabled; a request that is signed with it is rejected like one with an unknown key.
    public var isDisabled: Bool

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isDisabled: Whether the key is disabled.
    public init(_ key: AccessKey, isDisabled: Bool = false) {
      self.key = key
      self.isDisabled = isDisabled
    }
  }
}

/// The reason why a server cannot start, and the remedy.
public struct LocalCloudError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason and the remedy in one line of text.
  public let description: String

  init(_ description: String) {
    self.description = description.onOneLine
  }
}
