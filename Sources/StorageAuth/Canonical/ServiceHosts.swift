// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The rule that distinguishes a service's own hosts from those with a bucket in front of them.
///
/// A provider declares its own rule:
///
/// ```swift
/// extension ServiceHosts {
///   static let acme = ServiceHosts(label: "storage", domain: ".acme.example.com", labelCount: 4)
/// }
/// ```
public struct ServiceHosts: Sendable {
  private let label: StaticString
  private let otherLabel: StaticString
  private let domain: StaticString
  private let dotCount: Int

  /// The rule for a service with unknown hosts: only a host with one label has no bucket.
  public static let unknown = ServiceHosts(label: "")

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - label: A first label that stands for the service, in lower case; empty if there is none.
  ///   - otherLabel: A second such label.
  ///   - domain: The domain of the vendor's own hosts, in lower case and with a leading dot, such as `.example.com`;
  ///     empty if the labels are sufficient.
  ///   - labelCount: The number of labels of the vendor's own hosts without a bucket; in a host of the vendor with
  ///     another number of labels, the first label is a bucket.
  public init(
    label: StaticString, otherLabel: StaticString = "", domain: StaticString = "", labelCount: Int = 0
  ) {
    self.label = label
    self.otherLabel = otherLabel
    self.domain = domain
    dotCount = max(labelCount, 1) - 1
  }

  /// Returns whether a host, with or without a port, belongs to the vendor's domain.
  ///
  /// - Parameter authority: The host.
  public func own(_ authority: String) -> Bool {
    withBytes(of: authority) { owns(HostName($0), in: $0) }
  }

  /// Returns whether a host, with or without a port, is that of the service itself, without a bucket.
  ///
  /// - Parameter authority: The host.
  public func isService(_ authority: String) -> Bool {
    withBytes(of: authority) { bucketEnd(of: HostName($0), in: $0) == nil }
  }

  /// Returns the bucket in a host, with or without a port: its first label, or `nil` if the host is that of the service
  /// itself.
  ///
  /// - Parameter authority: The host.
  public func bucket(in authority: String) -> String? {
    withBytes(of: authority) { bytes in
      bucketEnd(of: HostName(bytes), in: bytes)
        .map { end in String(writing: { $0.append(bytes.extracting(0..<end)) }) }
    }
  }

  /// Returns whether a host belongs to the vendor's domain.
  package func owns(_ host: HostName, in authority: Span<UInt8>) -> Bool {
    let count = domain.utf8CodeUnitCount
    return count > 0 && host.end > count
      && HostName.equalsIgnoringCase(authority.extracting((host.end - count)..<host.end), domain)
  }

  /// Returns the index at which the first label of a host ends, or `nil` if the host is that of the service itself.
  package func bucketEnd(of host: HostName, in authority: Span<UInt8>) -> Int? {
    guard let firstDot = host.firstDot else { return nil }
    if owns(host, in: authority) { return host.dots == dotCount ? nil : firstDot }
    let first = authority.extracting(0..<firstDot)
    if HostName.equalsIgnoringCase(first, label) || HostName.equalsIgnoringCase(first, otherLabel) { return nil }
    return firstDot
  }
}
