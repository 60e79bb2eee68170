// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

extension LocalCloud {
  package struct BucketSummary: Sendable, Hashable {
    package let name: String
    package let created: Timestamp
    package let objectCount: Int
    /// Whether unsigned requests can read the objects of the bucket.
    package let isPublic: Bool
  }

  package struct ObjectSummary: Sendable, Hashable {
    package let key: String
    package let byteCount: Int64
    package let modified: Timestamp
  }

  package struct ObjectPage: Sendable, Hashable {
    package let objects: [ObjectSummary]
    /// The common prefixes of the keys that contain another slash after the prefix of the page.
    package let folders: [String]
    /// The key or folder after which the next page starts, or `nil` on the last page.
    package let next: String?
  }

  /// The current time according to the server's clock, which includes the injected clock offset.
  package var now: Timestamp { context.now }

  /// The accounts and other settings with which the server was started.
  package var configuration: Configuration { context.configuration }

  package func region(of provider: Provider) -> String { configuration.region(of: provider) }

  /// Returns the latest issued temporary credentials, the newest first.
  package func sessions(limit: Int) -> [Session] { context.keys.tokens.sessions(limit: limit) }

  /// Makes a temporary credential unknown to all services, or returns `false` if it was never issued or is discarded.
  package func revoke(_ keyID: AccessKeyID) -> Bool { context.keys.tokens.revoke(keyID) }

  /// Returns the buckets of a storage service, ordered by name.
  package func buckets(of provider: Provider) -> [BucketSummary] {
    guard let store = try? storage.store(of: provider) else { return [] }
    return store.bucketsByName.map {
      BucketSummary(name: $0.name, created: $0.created, objectCount: $0.objects.count, isPublic: $0.access.isPublic)
    }
  }

  /// Returns a page of a bucket's objects and folders, ordered by key, or `nil` if the bucket does not exist.
  package func objects(
    in bucket: String, of provider: Provider, prefix: String, after: String, limit: Int
  ) -> ObjectPage? {
    let query = ListQuery(prefix: prefix, delimiter: "/", after: after, limit: limit)
    guard let page = try? storage.store(of: provider).read(bucket, { $0.objectPage(query) }) else { return nil }
    return ObjectPage(
      objects: page.entries.map {
        ObjectSummary(key: $0.key.text, byteCount: $0.content.byteCount, modified: $0.modified)
      },
      folders: page.groups, next: page.next)
  }
}
