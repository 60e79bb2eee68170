// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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

  /// Returns whether the `Authorization` header or the name of a query parameter shows a signature of S3.
  static func isSelected(by head: HTTPRequest) -> Bool {
    if let authorization = head.headerFields[.authorization] { return authorization.hasBytePrefix("AWS") }
    return withBytes(of: head.path ?? "") { path in
      func end(ofTextBefore separator: Unicode.Scalar, from start: Int) -> Int {
        path.end(ofRunFrom: start) { $0.equal(UInt8(ascii: separator)).inverted }
      }
      var parameterStart = end(ofTextBefore: "?", from: 0) + 1
      while parameterStart < path.count {
        if path.extracting(parameterStart...).starts(with: "X-Amz-") { return true }
        parameterStart = end(ofTextBefore: "&", from: parameterStart) + 1
      }
      return false
    }
  }
}

extension SimulatedService {
  /// Returns the service as its S3-compatible interface shows it.
  ///
  /// Operations, header rules, signatures, listings and errors are those of S3; the stored objects and buckets, the
  /// policies and the keys are the service's own.
  func shown(through interface: S3Interface, region: String) -> SimulatedService {
    let s3 = SimulatedService.s3(region: region)
    return SimulatedService(
      provider: provider, endpoint: endpoint, description: .s3, operations: s3.operations,
      documents: interfaceDocuments(like: s3), headerRules: s3.headerRules, headers: interfaceHeaders(like: s3),
      signatures: s3.signatures, objects: interfaceObjects(like: s3, interface.storageClasses),
      buckets: interfaceBuckets(like: s3), listing: s3.listing, policies: policies, keyFormat: keyFormat,
      errors: s3.errors,
      behavior: SimulatedS3(
        region: region, ownBehavior: behavior, hosts: interface.hosts, pathHosts: behavior.pathHosts))
  }

  /// Returns the documents that both services have, with the names of S3 and the service's own names of actions.
  private func interfaceDocuments(like s3: SimulatedService) -> [BucketDocument] {
    s3.documents.compactMap { document in
      documents.first { $0.parameter == document.parameter }.map { ownDocument in
        BucketDocument(
          document.parameter, root: document.root, ifUnset: document.responseIfUnset, subject: ownDocument.subject,
          deletion: document.deletion.map { _ in "Delete" })
      }
    }
  }

  private func interfaceHeaders(like s3: SimulatedService) -> Headers {
    var interfaceHeaders = s3.headers
    interfaceHeaders.serverName = headers.serverName
    // Keys of the service's own key management have other names in each interface.
    interfaceHeaders.encryptions = ["AES256": []]
    return interfaceHeaders
  }

  private func interfaceObjects(like s3: SimulatedService, _ storageClasses: [StorageClass]) -> Objects {
    var objects = self.objects
    objects.storageClasses = storageClasses
    objects.copySourceHasHost = s3.objects.copySourceHasHost
    objects.reportsObjectType = s3.objects.reportsObjectType
    objects.crc64Header = s3.objects.crc64Header
    objects.checksumMode = s3.objects.checksumMode
    objects.checksIgnoredBodies = s3.objects.checksIgnoredBodies
    objects.framingEncoding = s3.objects.framingEncoding
    return objects
  }

  private func interfaceBuckets(like s3: SimulatedService) -> Buckets {
    var buckets = self.buckets
    buckets.groupURIPrefix = s3.buckets.groupURIPrefix
    buckets.reportsInheritedAccess = s3.buckets.reportsInheritedAccess
    return buckets
  }
}
