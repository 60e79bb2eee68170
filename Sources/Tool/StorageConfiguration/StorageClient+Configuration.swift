// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Configuration
public import StorageClient

@available(macOS 15, *)
extension StorageClientConfiguration {
  /// Creates a configuration from settings; the keys are those of ``ConfigurationKeys/client``.
  ///
  /// ```swift
  /// let reader = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "photos")
  /// let configuration = try await StorageClientConfiguration(reading: reader)
  /// let client = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), configuration: configuration)
  /// ```
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if a value is malformed or is out of range.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let defaults = StorageClientConfiguration()
    self.init(
      requestsInFlight: try await settings.integer("requestsInFlight", in: 1 ... .max) ?? defaults.requestsInFlight,
      partsInFlight: try await settings.integer("partsInFlight", in: 1 ... .max) ?? defaults.partsInFlight,
      multipartThreshold: try await settings.size("multipartThreshold", atLeast: 1) ?? defaults.multipartThreshold,
      partSize: try await settings.size("partSize", atLeast: 100 << 10) ?? defaults.partSize,
      keysPerPage: try await settings.integer("keysPerPage", in: 1...1000) ?? defaults.keysPerPage,
      attempts: try await settings.integer("attempts", in: 1...100) ?? defaults.attempts,
      retryDelay: try await settings.duration("retryDelay") ?? defaults.retryDelay,
      longestRetryDelay: try await settings.duration("longestRetryDelay") ?? defaults.longestRetryDelay)
  }
}

@available(macOS 15, *)
extension CredentialCacheConfiguration {
  /// Creates a configuration from settings; the keys are those of ``ConfigurationKeys/credentialCache``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if a value is malformed.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let defaults = CredentialCacheConfiguration()
    self.init(
      timeout: try await settings.duration("timeout") ?? defaults.timeout,
      refreshMargin: try await settings.duration("refreshMargin") ?? defaults.refreshMargin,
      backoff: try await settings.duration("backoff") ?? defaults.backoff,
      longestBackoff: try await settings.duration("longestBackoff") ?? defaults.longestBackoff,
      spreadsFirstRenewal: try await settings.boolean("spreadsFirstRenewal") ?? defaults.spreadsFirstRenewal)
  }
}

@available(macOS 15, *)
extension AccessKey {
  /// Creates an access key from settings; the keys are those of ``ConfigurationKeys/accessKey``.
  ///
  /// The secret and the session token are read as secrets, or from the files that `secretFile` and `sessionTokenFile`
  /// name. A file that other users could have written is rejected.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, without its value, if it is missing or cannot be used.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    let id = try await settings.requiredText("id")
    guard let secret = try await settings.secret("secret") else {
      throw settings.invalid("secret", "is missing.", remedy: "Set it, or name a file with secretFile.")
    }
    self.init(id: id, secret: secret, sessionToken: try await settings.secret("sessionToken"))
  }
}

@available(macOS 15, *)
extension OSSProvider {
  /// Creates a provider from settings; the keys are those of ``ConfigurationKeys/bucket``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if it is missing or cannot be used.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let location = try await BucketSettings(reader)
    self =
      location.endpoint.map { OSSProvider(bucket: location.bucket, region: location.region, endpoint: $0) }
      ?? .oss(bucket: location.bucket, region: location.region)
  }
}

@available(macOS 15, *)
extension COSProvider {
  /// Creates a provider from settings; the keys are those of ``ConfigurationKeys/bucket``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if it is missing or cannot be used.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let location = try await BucketSettings(reader)
    self =
      location.endpoint.map { COSProvider(bucket: location.bucket, region: location.region, endpoint: $0) }
      ?? .cos(bucket: location.bucket, region: location.region)
  }
}

@available(macOS 15, *)
extension S3Provider {
  /// Creates a provider from settings; the keys are those of ``ConfigurationKeys/bucket``.
  ///
  /// - Parameter reader: The reader of the settings.
  /// - Throws: A ``ConfigurationError`` that names the setting, if it is missing or cannot be used.
  public init(reading reader: ConfigReader) async throws(ConfigurationError) {
    let location = try await BucketSettings(reader)
    self =
      location.endpoint.map { S3Provider(bucket: location.bucket, region: location.region, endpoint: $0) }
      ?? .s3(bucket: location.bucket, region: location.region)
  }
}

@available(macOS 15, *)
private struct BucketSettings {
  let bucket, region: String
  let endpoint: ServiceEndpoint?

  init(_ reader: ConfigReader) async throws(ConfigurationError) {
    let settings = SettingReader(reader)
    bucket = try await settings.requiredText("bucket")
    region = try await settings.requiredText("region")
    guard let url = try await settings.text("endpoint") else {
      endpoint = nil
      return
    }
    do throws(SigningError) {
      endpoint = try ServiceEndpoint(url)
    } catch {
      throw settings.invalid("endpoint", "is no endpoint.", remedy: error.remedy)
    }
  }
}
