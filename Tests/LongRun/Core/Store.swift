// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
import StorageAuth
internal import StorageClient

/// A client under test: a cloud, a signature version and a source of tokens.
struct Store: Sendable {
  static let bucket = "long-run-1250000000"
  static let permanent = AccessKey(id: "LTAIlongrun", secret: "a secret of nobody")
  static let count = 6

  private static let region = "us-east-1"

  /// The minimum permissions of a transfer.
  private static let policy = AccessPolicy([AccessRule(.read, .write, objects: .all, in: bucket)])

  /// The status of a response that replaces that of a completed request.
  static let lossStatus = 503

  let name: String
  let provider: LocalCloud.Provider
  let client: any ObjectStore
  let events: EventHub
  let transport: WatchingTransport

  /// Returns clients for all clouds and signature versions, with tokens from the app servers and the token services.
  static func all(
    on cloud: LocalCloud, over transport: any HTTPTransport, time: any SigningClock, retryDelay: Duration
  ) throws -> [Store] {
    let keys = StaticCredentialProvider(permanent)
    let oss = AppServerCredentialProvider(
      cloud.ossAppServer, allowsPlainHTTP: true
    ).bound(to: ProviderContext(transport: transport, time: time))
    let cos = AppServerCredentialProvider(
      cloud.cosAppServer, allowsPlainHTTP: true
    ).bound(to: ProviderContext(transport: transport, time: time))
    let alibaba = AlibabaAssumeRoleProvider(
      roleARN: "acs:ram::1250000000:role/localcloud", credentials: keys, endpoint: .url(cloud.servicesURL)
    ).bound(to: ProviderContext(transport: transport, time: time))
    let tencent = TencentFederationProvider(
      name: "long-run", policy: try policy.camDocument(region: "ap-guangzhou"), credentials: keys,
      endpoint: .url(cloud.servicesURL)
    ).bound(to: ProviderContext(transport: transport, time: time))
    var machine = ProviderContext(transport: transport, time: time)
    machine.environment = { [address = cloud.s3AppServer] name in
      name == "AWS_CONTAINER_CREDENTIALS_FULL_URI" ? address : nil
    }
    let container = AmazonContainerProvider().bound(to: machine)
    let amazon = AmazonAssumeRoleProvider(
      roleARN: "arn:aws:iam::125000000000:role/localcloud", credentials: keys,
      policy: try policy.iamDocument(), endpoint: .url(cloud.servicesURL, region: region)
    ).bound(to: ProviderContext(transport: transport, time: time))
    var configuration = StorageClientConfiguration(
      multipartThreshold: 200_000, partSize: 100 * 1024, attempts: 10, retryDelay: retryDelay)
    configuration.longestRetryDelay = .seconds(10)
    let v4 = OSSProvider.oss(bucket: bucket, region: "cn-hangzhou", endpoint: cloud.ossEndpoint)
    let v1 = OSSProvider.oss(bucket: bucket, region: "cn-hangzhou", signature: .v1, endpoint: cloud.ossEndpoint)
    let v5 = COSProvider.cos(bucket: bucket, region: "ap-guangzhou", endpoint: cloud.cosEndpoint)
    let s3 = S3Provider.s3(bucket: bucket, region: region, endpoint: cloud.s3Endpoint)
    return [
      Store(
        "oss-v4-appserver", .oss, v4, CredentialCache(oss, in: ProviderContext(time: time)), configuration, transport,
        time),
      Store(
        "oss-v1-assumerole", .oss, v1, CredentialCache(alibaba, in: ProviderContext(time: time)), configuration,
        transport, time),
      Store(
        "cos-v5-appserver", .cos, v5, CredentialCache(cos, in: ProviderContext(time: time)), configuration, transport,
        time),
      Store(
        "cos-v5-federation", .cos, v5, CredentialCache(tencent, in: ProviderContext(time: time)), configuration,
        transport, time),
      Store(
        "s3-v4-container", .s3, s3, CredentialCache(container, in: ProviderContext(time: time)), configuration,
        transport, time),
      Store(
        "s3-v4-assumerole", .s3, s3, CredentialCache(amazon, in: ProviderContext(time: time)), configuration, transport,
        time),
    ]
  }

  private init<Provider: PresigningProvider<AccessKey>>(
    _ name: String, _ kind: LocalCloud.Provider, _ provider: Provider, _ credentials: CredentialCache<AccessKey>,
    _ configuration: StorageClientConfiguration, _ transport: any HTTPTransport, _ time: any SigningClock
  ) {
    self.name = name
    self.provider = kind
    self.transport = WatchingTransport(transport)
    events = credentials.events
    client = StorageClient(
      provider, credentials: credentials, configuration: configuration, transport: self.transport, time: time)
  }

  /// Returns a client that checks the cloud after the run, with a permanent key and the correct clock.
  static func auditor(
    of provider: LocalCloud.Provider, on cloud: LocalCloud, over transport: any HTTPTransport, time: any SigningClock
  ) -> any ObjectStore {
    switch provider {
    case .oss:
      StorageClient(
        .oss(bucket: bucket, region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: permanent,
        transport: transport, time: time)
    case .cos:
      StorageClient(
        .cos(bucket: bucket, region: "ap-guangzhou", endpoint: cloud.cosEndpoint), credentials: permanent,
        transport: transport, time: time)
    case .s3:
      StorageClient(
        .s3(bucket: bucket, region: region, endpoint: cloud.s3Endpoint), credentials: permanent, transport: transport,
        time: time)
    }
  }
}
