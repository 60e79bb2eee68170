import ArgumentParser
import ExampleSupport
import Foundation
import LocalCloud
import StorageClient

/// A provider that can be named on the command line.
enum ProviderName: String, CaseIterable, ExpressibleByArgument {
  case ossV4 = "oss-v4"
  case ossV1 = "oss-v1"
  case cos
}

/// A bucket of a provider, opened as a store that shows nothing of the provider.
struct Place {
  let store: any ObjectStore
  private let bucket: ExampleBucket

  init(_ provider: ProviderName, localOnly: Bool) async throws {
    switch provider {
    case .ossV4, .ossV1:
      bucket = try await .oss(localOnly: localOnly)
      store = Self.client(
        .oss(
          bucket: bucket.bucket, region: bucket.region, signature: provider == .ossV1 ? .v1 : .v4,
          endpoint: bucket.endpoint), bucket.key)
    case .cos:
      bucket = try await .cos(localOnly: localOnly)
      store = Self.client(
        .cos(bucket: bucket.bucket, region: bucket.region, endpoint: bucket.endpoint), bucket.key)
    }
  }

  /// A client with the key of LocalCloud, or with the one of the environment.
  private static func client<Provider: StorageProvider<AccessKey>>(
    _ provider: Provider, _ key: AccessKey?
  ) -> StorageClient<Provider> {
    key.map { StorageClient(provider, credentials: $0) } ?? StorageClient(provider)
  }

  /// How many signatures LocalCloud verified; nothing for a real service, which does not say.
  var verifiedSignatures: Int? { bucket.verifiedSignatures }

  func close() async { await bucket.close() }
}
