// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The identity of an object: the service, the server, the bucket and the key, and possibly one state of the object.
///
/// Two identities are equal only if requests reach the same server with the same bucket and key. Bytes of one object that
/// an earlier process kept may only be continued with bytes of an equal identity.
package struct ObjectIdentity: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The identity as text, such as `oss/https/oss-cn-hangzhou.aliyuncs.com/virtualHosted/photos/2026%2Fcat.jpg`.
  ///
  /// All parts are percent-encoded, so that different identities have different texts. The text is ASCII; its comparison
  /// compares bytes.
  package let text: String

  /// Creates the identity of an object in a bucket.
  ///
  /// The position of the bucket name in URLs selects the server, too.
  package init(service: String, endpoint: ServiceEndpoint, container: String, key: String) {
    text = Self.joined([service, endpoint.scheme, endpoint.server, endpoint.style.rawValue, container, key])
  }

  private init(text: String) {
    self.text = text
  }

  private static func joined(_ parts: [String]) -> String {
    parts.map { $0.percentEncoded() }.joined(separator: "/")
  }

  /// Creates an identity from its text, which must be ASCII.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    text = try container.decode(String.self)
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not the identity of an object.")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Returns the identity of one state of the object.
  package func at(versionID: String?, etag: String?, size: Int64?) -> ObjectIdentity {
    let state = [("version", versionID), ("etag", etag), ("size", size.map { "\($0)" })]
    return ObjectIdentity(
      text: text + "?" + Self.joined(state.compactMap { name, value in value.map { "\(name)=\($0)" } }))
  }

  /// A file name that is derived from the identity: the SHA-256 of its text, in hexadecimal.
  package var fileName: String { SHA256.hash(Array(text.utf8)).hex }

  /// Returns a file name that is derived from the identity, which has no line break, and from the path of a file or the
  /// identity of an object that the object is copied from or to.
  package func fileName(with path: String) -> String { SHA256.hash(Array("\(text)\n\(path)".utf8)).hex }

  package var description: String { text }
}

/// A client of any provider, for code that has `any ObjectStore`.
protocol AnyClient: ObjectStore {
  associatedtype Store: ObjectStore

  var store: Store { get }

  /// The address of the bucket or the node, or `nil` if the provider has no valid one.
  var address: StoreAddress? { get }

  /// Returns the identity of the object with a key, or `nil` if it is unknown.
  func objectIdentity(of key: String) -> ObjectIdentity?
}

extension StorageClient: AnyClient {
  var address: StoreAddress? {
    guard let endpoint = try? sender.configuredProvider.endpoint else { return nil }
    let domains = (sender.configuredProvider as? any BucketProvider)?.conventions.domains ?? []
    return StoreAddress(
      service: provider.name, endpoint: endpoint, container: provider.containerName, uniqueBelow: domains)
  }

  func objectIdentity(of key: String) -> ObjectIdentity? { sender.objectIdentity(of: key) }
}

extension ObjectStore {
  /// The store that performs the operations: that of a client, or else this store.
  var performer: any ObjectStore { (self as? any AnyClient)?.store ?? self }

  /// Returns the identity of the object with a key, or `nil` if it is unknown.
  ///
  /// A transfer to or from an object without an identity must not be continued by another process.
  package func identity(of key: String) -> ObjectIdentity? {
    (self as? any AnyClient)?.objectIdentity(of: key)
  }

  /// Returns whether two stores have the same objects, as far as that is known.
  func hasSameObjects(as other: any ObjectStore) -> Bool {
    if type(of: self) is AnyClass, type(of: other) is AnyClass {
      return (self as AnyObject) === (other as AnyObject)
    }
    guard let address = (self as? any AnyClient)?.address else { return false }
    return address == (other as? any AnyClient)?.address
  }
}

extension RequestSender {
  /// Returns the identity of the object with a key, or `nil` if it is unknown.
  ///
  /// It is unknown if the provider has no valid address, and for providers other than buckets: on an Aspera node, the
  /// account selects the files. The identity does not change when the service redirects the client to another region,
  /// which has the same bucket.
  func objectIdentity(of key: String) -> ObjectIdentity? {
    guard let provider = configuredProvider as? any BucketProvider, let endpoint = try? provider.endpoint else {
      return nil
    }
    return ObjectIdentity(service: provider.name, endpoint: endpoint, container: provider.bucket, key: key)
  }

  /// Throws an error if a checkpoint belongs to another object, or to the same bucket and key of another server.
  func requireIdentity(_ saved: ObjectIdentity?, of key: String, savedAs location: String) throws(StorageError) {
    guard let saved, saved == objectIdentity(of: key) else {
      let other = saved.map { "\(location) (\($0))" } ?? "\(location) on an unknown server"
      let wanted = objectIdentity(of: key).map { " (\($0))" } ?? ""
      throw StorageError(
        .invalidOption, "The checkpoint belongs to \(other) and not to \(self.location(ofKey: key))\(wanted).",
        remedy: "Keep the checkpoint of each transfer in a place of its own.")
    }
  }
}

extension ServiceEndpoint {
  /// The host and the port, without the port that the scheme implies.
  fileprivate var server: String {
    String(authority.removingByteSuffix(scheme == "https" ? ":443" : ":80") ?? authority[...])
  }
}

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
