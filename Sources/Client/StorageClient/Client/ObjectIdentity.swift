// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The identity of an object: the service, the server, the bucket and the key, and possibly one state of the object.
///
/// A process may continue a transfer of an earlier process only if the identities are equal.
package struct ObjectIdentity: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The identity as text, such as `oss/https/oss-cn-hangzhou.aliyuncs.com/virtualHosted/photos/2026%2Fcat.jpg`.
  ///
  /// All parts are percent-encoded, so that different identities have different texts, and the text is ASCII.
  package let text: String

  /// Creates the identity of an object in a bucket; the endpoint's style is a part of it, and selects the server, too.
  package init(service: String, endpoint: ServiceEndpoint, container: String, key: String) {
    text = Self.joined([service, endpoint.scheme, endpoint.server, endpoint.style.rawValue, container, key])
  }

  private init(text: String) { self.text = text }

  private static func joined(_ parts: [String]) -> String { parts.map { $0.percentEncoded() }.joined(separator: "/") }

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

  /// Returns the identity of one state of the object, as far as the state is known.
  package func at(versionID: String?, etag: String?, size: Int64?) -> ObjectIdentity {
    let version = versionID.map { "version=\($0)" }
    let state = [version, etag.map { "etag=\($0)" }, size.map { "size=\($0)" }]
    return ObjectIdentity(text: text + "?" + Self.joined(state.compactMap(\.self)))
  }

  /// The SHA-256 of the text in hexadecimal, as the name of a file.
  package var fileName: String { SHA256.hash(Array(text.utf8)).hex }

  /// Returns a file name for a transfer from or to a path, or a copy from or to an object with the identity `path`.
  package func fileName(with path: String) -> String { SHA256.hash(Array("\(text)\n\(path)".utf8)).hex }

  package var description: String { text }
}

/// A storage client of any provider, which code with `any ObjectStore` casts to.
protocol StoreClient: ObjectStore {
  associatedtype Store: ObjectStore

  var store: Store { get }
  /// The address of the bucket or the node, or `nil` if the provider has no valid one.
  var address: StoreAddress? { get }

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
  /// The store that performs the operations of a client, or the store itself if it is not a client.
  var underlyingStore: any ObjectStore { (self as? any StoreClient)?.store ?? self }

  /// Returns the identity of an object, or `nil` if another process must not continue a transfer to or from it.
  package func identity(of key: String) -> ObjectIdentity? { (self as? any StoreClient)?.objectIdentity(of: key) }

  /// Returns whether keys with a prefix can denote the same objects as keys of another store with another prefix.
  ///
  /// A store that is not a client has no address, so it shares objects only with itself.
  func mayShareObjects(withPrefix prefix: String, _ other: any ObjectStore, withPrefix otherPrefix: String) -> Bool {
    if type(of: self) is AnyClass, type(of: other) is AnyClass, (self as AnyObject) === (other as AnyObject) {
      return prefix.isBytePrefixOrExtension(of: otherPrefix)
    }
    guard let address = (self as? any StoreClient)?.address, let otherAddress = (other as? any StoreClient)?.address
    else { return false }
    return address.mayShareObjects(withPrefix: prefix, otherAddress, withPrefix: otherPrefix)
  }
}

extension RequestSender {
  /// Returns the identity of an object, or `nil` if the provider has no valid address or is not a bucket.
  ///
  /// The identity does not change when the service redirects the client to another region, which has the same bucket.
  func objectIdentity(of key: String) -> ObjectIdentity? {
    guard let provider = configuredProvider as? any BucketProvider, let endpoint = try? provider.endpoint else {
      return nil
    }
    return ObjectIdentity(service: provider.name, endpoint: endpoint, container: provider.bucket, key: key)
  }

  /// Throws an error if a checkpoint belongs to another object, or to the same bucket and key of another server.
  func requireIdentity(_ saved: ObjectIdentity?, of key: String, savedAs location: String) throws(StorageError) {
    guard let saved, saved == objectIdentity(of: key) else {
      let savedObject = saved.map { "\(location) (\($0))" } ?? "\(location) on an unknown server"
      let requestedIdentity = objectIdentity(of: key).map { " (\($0))" } ?? ""
      throw StorageError(
        .invalidOption,
        "The checkpoint belongs to \(savedObject) and not to \(self.location(ofKey: key))\(requestedIdentity).",
        remedy: "Keep the checkpoint of each transfer in a place of its own.")
    }
  }
}

extension ServiceEndpoint {
  /// The host and the port, without the port that the scheme implies.
  fileprivate var server: String { String(authority.removingByteSuffix(defaultPort) ?? authority[...]) }
  fileprivate var defaultPort: String { scheme.isIdentical(to: "https") ? ":443" : ":80" }
}

/// A provider whose keys are the paths of files below a folder.
package protocol RootedProvider: StorageProvider { var rootFolder: RootFolderLocation { get } }

/// The location of the folder that the keys of a store are relative to.
package struct RootFolderLocation: Sendable {
  /// The ID of the folder that the path is relative to, or `nil` for the root of the account.
  private let baseID: ByteExactString?
  /// The path of the folder, with a slash at its end, or an empty string for the base itself.
  private let path: String

  package init(baseID: String? = nil, path: String = "") {
    self.baseID = baseID.map { ByteExactString($0) }
    self.path = path.words(between: "/").map { "\($0)/" }.joined()
  }

  func mayShareObjects(withPrefix prefix: String, _ other: Self, withPrefix otherPrefix: String) -> Bool {
    // Only the server knows the path of a folder with an ID.
    guard baseID == other.baseID else { return true }
    return "\(path)\(prefix)".isBytePrefixOrExtension(of: "\(other.path)\(otherPrefix)")
  }
}

/// The address of a bucket or of a folder on a node, which tells whether two stores can have the same objects.
///
/// Different URLs can lead to the same objects, so the comparison ignores the scheme and the style of URLs. It also
/// ignores which of a vendor's hosts or custom domains is used, because the vendors' bucket names are unique.
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
    let portStart = authority.portStart ?? authority.endIndex
    let host = authority[..<portStart]
    let port = portStart == authority.endIndex ? endpoint.defaultPort : String(authority[portStart...])
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
  fileprivate func isBytePrefixOrExtension(of other: String) -> Bool {
    hasBytePrefix(other) || other.hasBytePrefix(self)
  }

  /// The index of the colon before the port of an authority, or `nil` if it has none.
  fileprivate var portStart: Index? {
    guard let colon = utf8.lastIndex(of: UInt8(ascii: ":")), !self[colon...].hasByte("]") else { return nil }
    return colon
  }
}
