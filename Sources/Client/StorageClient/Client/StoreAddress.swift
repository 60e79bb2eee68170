// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The address of a bucket or of a node, for the question whether two stores have the same objects.
///
/// Two different addresses can lead to the same objects, so the comparison errs on the side of equality: the scheme and
/// the style of URLs do not matter, nor which of a vendor's hosts is used, because the vendors' bucket names are unique.
struct StoreAddress: Hashable {
  private let service: ByteExactString
  private let host: ByteExactString
  private let container: ByteExactString

  init(service: String, endpoint: ServiceEndpoint, container: String, uniqueBelow domains: [String]) {
    self.service = ByteExactString(service)
    self.container = ByteExactString(container)
    let authority = endpoint.authority.asciiLowercased
    let port =
      authority.portStart.map { authority[$0...] } ?? (endpoint.scheme.isIdentical(to: "https") ? ":443" : ":80")
    let host = authority.portStart.map { authority[..<$0] } ?? authority[...]
    if domains.contains(where: { host.hasByteSuffix($0) }) {
      self.host = ByteExactString("")
    } else {
      self.host = ByteExactString((endpoint.isLoopback ? "localhost" : host) + port)
    }
  }
}

extension String {
  /// The index of the colon before the port of an authority, or `nil` if it has none.
  fileprivate var portStart: Index? {
    guard let colon = utf8.lastIndex(of: UInt8(ascii: ":")), !self[colon...].hasByte("]") else { return nil }
    return colon
  }
}

/// A store that knows its address.
protocol AddressedStore: ObjectStore {
  var address: StoreAddress? { get }
}

extension StorageClient: AddressedStore {
  var address: StoreAddress? {
    guard let endpoint = try? sender.configuredProvider.endpoint else { return nil }
    let domains = (sender.configuredProvider as? any BucketProvider)?.conventions.domains ?? []
    return StoreAddress(
      service: provider.name, endpoint: endpoint, container: provider.containerName, uniqueBelow: domains)
  }
}

extension ObjectStore {
  /// Returns whether two stores have the same objects, as far as that is known.
  func hasSameObjects(as other: any ObjectStore) -> Bool {
    if type(of: self) is AnyClass, type(of: other) is AnyClass {
      return (self as AnyObject) === (other as AnyObject)
    }
    guard let address = (self as? any AddressedStore)?.address,
      let otherAddress = (other as? any AddressedStore)?.address
    else { return false }
    return address == otherAddress
  }
}
