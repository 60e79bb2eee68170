// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Configuration
public import LocalCloud
public import StorageAuthServer

@available(macOS 15, *)
extension RateLimit {
  /// Creates a rate limit from settings; the keys are those of ``ConfigurationKeys/rate``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if it is malformed or contradicts another.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let perMinute = try await settings.integer("perMinute", in: 1...1_000_000)
    let burst = try await settings.integer("burst", in: 1...1_000_000)
    let interval = try await settings.duration("interval")
    switch (perMinute, burst, interval) {
    case (let count, nil, nil): self = .perMinute(count ?? 60)
    case (nil, let burst?, let interval?): self.init(burst: burst, every: interval)
    case (nil, _, _):
      throw settings.invalid("burst", "and interval are needed together.", remedy: "Set both, or perMinute.")
    default: throw settings.invalid("perMinute", "excludes burst and interval.", remedy: "Leave one of them out.")
    }
  }
}

@available(macOS 15, *)
extension ConnectionLimits {
  /// Creates limits from settings; the keys are those of ``ConfigurationKeys/connections``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if a value is malformed or is out of range.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let defaults = ConnectionLimits()
    self.init(
      connections: try await settings.integer("connections", in: 1...1_000_000) ?? defaults.connections,
      headTimeout: try await settings.duration("headTimeout") ?? defaults.headTimeout,
      bodyTimeout: try await settings.duration("bodyTimeout") ?? defaults.bodyTimeout,
      minimumBodyRate: try await settings.integer("minimumBodyRate", in: 1 ... .max) ?? defaults.minimumBodyRate,
      idleTimeout: try await settings.duration("idleTimeout") ?? defaults.idleTimeout,
      writeTimeout: try await settings.duration("writeTimeout") ?? defaults.writeTimeout)
  }
}

@available(macOS 15, *)
extension LocalCloud.Configuration {
  private static let ports = 0...65_535

  /// Creates a configuration from settings; the keys are those of ``ConfigurationKeys/localCloud``.
  ///
  /// Faults and services have no settings; set them afterwards. The accounts, `id:secret` or `id:secret:token`, are
  /// read as secrets, or from the lines of the file that `accountsFile` names.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, without its value, if it is missing or cannot be used.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    var accounts: [LocalCloud.Account] = []
    for (index, accountText) in try await settings.secrets("accounts").enumerated() {
      let fields = accountText.reveal().split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      let parts = fields.map(String.init)
      guard parts.count >= 2, parts.allSatisfy({ !$0.isEmpty }) else {
        throw settings.invalid(
          "accounts", "has an entry (number \(index + 1)) that is no account.",
          remedy: "Write id:secret or id:secret:token.")
      }
      accounts.append(
        LocalCloud.Account(AccessKey(id: parts[0], secret: parts[1], sessionToken: parts.count > 2 ? parts[2] : nil)))
    }
    guard !accounts.isEmpty else {
      throw settings.invalid("accounts", "is missing.", remedy: "List at least one, or name a file with accountsFile.")
    }
    self.init(
      accounts: accounts, buckets: try await settings.list("buckets") ?? [],
      ossPort: try await settings.integer("ossPort", in: Self.ports) ?? 0,
      cosPort: try await settings.integer("cosPort", in: Self.ports) ?? 0,
      s3Port: try await settings.integer("s3Port", in: Self.ports) ?? 0, root: try await settings.text("root"),
      region: try await settings.text("region"), s3Region: try await settings.text("s3Region") ?? "us-east-1",
      isStrict: try await settings.boolean("isStrict") ?? false,
      allowedOrigins: try await settings.list("allowedOrigins") ?? [])
    limits = try await ConnectionLimits(reading: reader.scoped(to: "limits"))
  }
}
