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
protocol StoreClient: ObjectStore {
  associatedtype Store: ObjectStore

  var store: Store { get }

  /// The address of the bucket or the node, or `nil` if the provider has no valid one.
  var address: StoreAddress? { get }

  /// Returns the identity of the object with a key, or `nil` if it is unknown.
  func objectIdentity(of key: String) -> ObjectIdentity?
}

extension StorageClient: StoreClient {
  var address: StoreAddress? {
    guard let endpoint = try? sender.configuredProvider.endpoint else { return nil }
    guard let provider = sender.configuredProvider as? any BucketProvider else {
      let rootFolder = (sender.configuredProvider as? any RootedProvider)?.rootFolder ?? RootFolderLocation()
      return StoreAddress(service: provider.name, endpoint: endpoint, rootFolder: rootFolder)
    }
    return StoreAddress(
      service: provider.name, endpoint: endpoint, bucket: provider.bucket, vendorDomains: provider.conventions.domains)
  }

  func objectIdentity(of key: String) -> ObjectIdentity? { sender.objectIdentity(of: key) }
}

extension ObjectStore {
  /// The store that performs the operations: that of a client, or else this store.
  var underlyingStore: any ObjectStore { (self as? any StoreClient)?.store ?? self }

  /// Returns the identity of the object with a key, or `nil` if it is unknown.
  ///
  /// A transfer to or from an object without an identity must not be continued by another process.
  package func identity(of key: String) -> ObjectIdentity? {
    (self as? any StoreClient)?.objectIdentity(of: key)
  }

  /// Returns whether keys with a prefix and keys of another store with another prefix can be the same objects, as far as
  /// that is known.
  func mayShareObjects(withPrefix prefix: String, _ other: any ObjectStore, withPrefix otherPrefix: String) -> Bool {
    // The objects of a store that is no client are unknown.
    if type(of: self) is AnyClass, type(of: other) is AnyClass, (self as AnyObject) === (other as AnyObject) {
      return prefix.isBytePrefixOrExtension(of: otherPrefix)
    }
    guard let address = (self as? any StoreClient)?.address, let otherAddress = (other as? any StoreClient)?.address
    else { return false }
    return address.mayShareObjects(withPrefix: prefix, otherAddress, withPrefix: otherPrefix)
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

/// A provider whose keys are paths below a folder of a server, which the client's user chooses.
package protocol RootedProvider: StorageProvider {
  /// The folder that the keys are relative to.
  var rootFolder: RootFolderLocation { get }
}

/// The location of the folder that the keys of a store are relative to.
package struct RootFolderLocation: Sendable {
  /// The ID of the folder that the path is relative to, or `nil` for the root of the account.
  private let baseID: ByteExactString?

  /// The path of the folder, with a slash at its end, or an empty string for the base itself.
  private let path: String

  /// Creates the location of a folder by the path that starts at the root of an account, or at a folder with an ID.
  package init(baseID: String? = nil, path: String = "") {
    self.baseID = baseID.map { ByteExactString($0) }
    self.path = path.words(between: "/").map { "\($0)/" }.joined()
  }

  func mayShareObjects(withPrefix prefix: String, _ other: Self, withPrefix otherPrefix: String) -> Bool {
    // Where a folder with an ID is, only the server knows.
    guard baseID == other.baseID else { return true }
    return "\(path)\(prefix)".isBytePrefixOrExtension(of: "\(other.path)\(otherPrefix)")
  }
}

/// The address of a bucket or of a folder on a node, for the question whether two stores can have the same objects.
///
/// Two different addresses can lead to the same objects, so the comparison errs on the side of equality: the scheme and
/// the style of URLs do not matter, nor which of a vendor's hosts or custom domains is used, because the vendors' bucket
/// names are unique.
struct StoreAddress {
  private let service: ByteExactString
  private let bucket: ByteExactString
  /// The host and the port, or an empty string for any host of the vendor.
  private let host: ByteExactString
  private let rootFolder: RootFolderLocation

  init(
    service: String, endpoint: ServiceEndpoint, bucket: String = "", vendorDomains: [String] = [],
    rootFolder: RootFolderLocation = RootFolderLocation()
  ) {
    self.service = ByteExactString(service)
    self.bucket = ByteExactString(bucket)
    self.rootFolder = rootFolder
    let authority = endpoint.authority.asciiLowercased
    let port =
      authority.portStart.map { authority[$0...] } ?? (endpoint.scheme.isIdentical(to: "https") ? ":443" : ":80")
    let host = authority.portStart.map { authority[..<$0] } ?? authority[...]
    if endpoint.style == .customDomain || vendorDomains.contains(where: { host.hasByteSuffix($0) }) {
      self.host = ByteExactString("")
    } else {
      self.host = ByteExactString((endpoint.isLoopback ? "localhost" : host) + port)
    }
  }

  func mayShareObjects(withPrefix prefix: String, _ other: Self, withPrefix otherPrefix: String) -> Bool {
    service == other.service && bucket == other.bucket && host == other.host
      && rootFolder.mayShareObjects(withPrefix: prefix, other.rootFolder, withPrefix: otherPrefix)
  }
}

extension String {
  /// Returns whether one of two strings is, byte for byte, the beginning of the other one.
  fileprivate func isBytePrefixOrExtension(of other: String) -> Bool {
    hasBytePrefix(other) || other.hasBytePrefix(self)
  }

  /// The index of the colon before the port of an authority, or `nil` if it has none.
  fileprivate var portStart: Index? {
    guard let colon = utf8.lastIndex(of: UInt8(ascii: ":")), !self[colon...].hasByte("]") else { return nil }
    return colon
  }
}
