// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A rule that distinguishes a service's own hosts from hosts that start with a bucket name.
///
/// A provider declares its own rule:
///
/// ```swift
/// extension ServiceHosts {
///   static let acme = ServiceHosts(label: "storage", domain: ".acme.example.com", labelCount: 4)
/// }
/// ```
///
/// In the vendor's domain, a host without a bucket is recognized by its number of labels alone. In other domains, such
/// as that of a compatible service, it is recognized by its first label alone. A host with one label has no bucket.
public struct ServiceHosts: Sendable {
  /// The two first labels that hosts without a bucket can have, each an empty string if there is none.
  private let label: StaticString
  private let otherLabel: StaticString
  /// The vendor's domain, or an empty string if no host counts as the vendor's.
  private let domain: StaticString
  /// The number of dots in the vendor's hosts without a bucket.
  private let dotCount: Int

  /// The rule for a service with unknown hosts: the first label is a bucket name unless it is the only label.
  public static let unknown = ServiceHosts(label: "")

  /// Creates a rule that recognizes a service's own hosts by their number of labels or by their first label.
  ///
  /// - Parameters:
  ///   - label: The lowercase first label of hosts without a bucket, or an empty string if there is no such label.
  ///   - otherLabel: A second label with the same meaning, or an empty string.
  ///   - domain: The vendor's domain in lowercase with a leading dot, or an empty string if the labels are sufficient.
  ///   - labelCount: The number of labels in the vendor's hosts without a bucket. In a host of the vendor with another
  ///     number of labels, the first label is a bucket name.
  public init(label: StaticString, otherLabel: StaticString = "", domain: StaticString = "", labelCount: Int = 0) {
    self.label = label
    self.otherLabel = otherLabel
    self.domain = domain
    dotCount = max(labelCount, 1) - 1
  }

  /// Returns whether a host, with or without a port, belongs to the vendor's domain.
  public func own(_ authority: String) -> Bool { withBytes(of: authority) { owns(HostName($0), in: $0) } }

  /// Returns whether a host, with or without a port, is one of the service's own hosts, without a bucket name.
  public func isService(_ authority: String) -> Bool {
    withBytes(of: authority) { bucketEnd(of: HostName($0), in: $0) == nil }
  }

  /// Returns the bucket name in a host, with or without a port, or `nil` for one of the service's own hosts.
  public func bucket(in authority: String) -> String? {
    withBytes(of: authority) { bytes in
      guard let end = bucketEnd(of: HostName(bytes), in: bytes) else { return nil }
      return String(writing: { $0.append(bytes.extracting(0..<end)) })
    }
  }

  package func owns(_ host: HostName, in authority: Span<UInt8>) -> Bool {
    let domainByteCount = domain.utf8CodeUnitCount
    return domainByteCount > 0 && host.end > domainByteCount
      && HostName.equalsIgnoringCase(authority.extracting((host.end - domainByteCount)..<host.end), domain)
  }

  /// Returns the index at which the bucket name in a host ends, or `nil` if the host is one of the service's own hosts.
  package func bucketEnd(of host: HostName, in authority: Span<UInt8>) -> Int? {
    guard let firstDot = host.firstDot else { return nil }
    // In the vendor's domain, the number of labels decides; elsewhere, the first label.
    if owns(host, in: authority) { return host.dotCount == dotCount ? nil : firstDot }
    let firstLabel = authority.extracting(0..<firstDot)
    let isServiceLabel =
      HostName.equalsIgnoringCase(firstLabel, label) || HostName.equalsIgnoringCase(firstLabel, otherLabel)
    return isServiceLabel ? nil : firstDot
  }
}
