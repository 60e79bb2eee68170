// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

/// The S3-compatible interface of another service, which a request selects with a signature of S3.
///
/// It has the same port, buckets, objects and keys. It does not check the region, does not accept bodies in chunks, and
/// requires a Content-MD5 for the deletion of several objects.
struct S3Interface: Sendable {
  /// The service's own hosts, which contain no bucket name.
  let hosts: ServiceHosts
  /// The storage classes of S3 that the service has, the default class first.
  let storageClasses: [StorageClass]

  static func isSelected(by head: HTTPRequest) -> Bool {
    if let authorization = head.headerFields[.authorization] { return authorization.hasBytePrefix("AWS") }
    return withBytes(of: head.path ?? "") { path in
      var parameterStart = path.end(ofRunFrom: 0) { $0.equal(UInt8(ascii: "?")).inverted } + 1
      while parameterStart < path.count {
        if path.extracting(parameterStart...).starts(with: "X-Amz-") { return true }
        parameterStart = path.end(ofRunFrom: parameterStart) { $0.equal(UInt8(ascii: "&")).inverted } + 1
      }
      return false
    }
  }
}

extension SimulatedService {
  /// Returns the service as its S3-compatible interface shows it, with the names of S3 and the service's own rules.
  func throughS3(_ interface: S3Interface, region: String) -> SimulatedService {
    let s3 = SimulatedService.s3(region: region)
    var headers = s3.headers
    headers.serverName = self.headers.serverName
    // Keys of the service's own key management have other names in each interface.
    headers.encryptions = ["AES256": []]
    var objects = objects
    objects.storageClasses = interface.storageClasses
    objects.copySourceHasHost = false
    objects.tellsType = false
    objects.crc64Header = nil
    objects.checksumMode = s3.objects.checksumMode
    objects.checksEveryBody = true
    objects.framingEncoding = s3.objects.framingEncoding
    var buckets = buckets
    buckets.groups = s3.buckets.groups
    buckets.tellsInheritedAccess = false
    return SimulatedService(
      provider: provider, endpoint: endpoint, description: .s3, operations: s3.operations,
      documents: s3.documents.compactMap { document in
        documents.first { $0.parameter == document.parameter }.map { ownDocument in
          BucketDocument(
            document.parameter, document.root, document.unset, subject: ownDocument.subject,
            deletion: document.deletion.map { _ in "Delete" })
        }
      },
      headerRules: s3.headerRules, headers: headers, signatures: s3.signatures, objects: objects, buckets: buckets,
      listing: s3.listing, policies: policies, keyFormat: keyFormat, errors: s3.errors,
      behavior: SimulatedS3(
        region: region, ownBehavior: behavior, hosts: interface.hosts, pathHosts: behavior.pathHosts))
  }
}
