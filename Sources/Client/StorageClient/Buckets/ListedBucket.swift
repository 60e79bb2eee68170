// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

/// A bucket in the list of the buckets of an account.
package struct ListedBucket: Sendable, Hashable {
  /// The bucket name.
  package let name: String

  /// The time at which the bucket was created, or `nil` if the service did not report it.
  package let created: Timestamp?

  /// The region of the bucket, or `nil` if the service did not report it.
  package let region: String?

  /// Reads a page of a list of buckets, and the parameter that requests the next page, or `nil` on the last page.
  static func page(
    _ document: ServiceDocument
  ) throws(StorageError) -> (buckets: [ListedBucket], next: RequestTarget.Parameter?) {
    let buckets = try (document.all("Buckets").first?.all("Bucket") ?? []).map { node throws(StorageError) in
      guard let name = try node.text(ofOnly: "Name") else {
        throw StorageError.malformedResponse("a listed bucket has no Name")
      }
      // OSS names the region both with and without "oss-", COS names it Location, and S3 BucketRegion.
      let regions = try ["Region", "Location", "BucketRegion"].map { name throws(StorageError) in
        try node.text(ofOnly: name)
      }
      return ListedBucket(
        name: try ResponseValue(name, named: "Name").text,
        created: try node.text(ofOnly: "CreationDate").flatMap { Timestamp(iso8601: $0) },
        region: try regions.compactMap(\.self).first.map { name throws(StorageError) in
          try ResponseValue(name, named: "Location").text
        })
    }
    if let token = try document.text("ContinuationToken") {
      return (buckets, RequestTarget.Parameter("continuation-token", token))
    }
    return (buckets, try document.text("NextMarker").map { RequestTarget.Parameter("marker", $0) })
  }
}
