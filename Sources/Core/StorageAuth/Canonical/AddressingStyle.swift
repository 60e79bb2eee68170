// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A style of bucket URLs, which determines the position of the bucket name.
public enum AddressingStyle: String, Sendable, Hashable, CaseIterable {
  /// The bucket name is part of the host: `https://bucket.oss-cn-hangzhou.aliyuncs.com/key`.
  case virtualHosted
  /// The bucket name is part of the path: `http://127.0.0.1:9000/bucket/key`.
  ///
  /// IP addresses and `localhost` use this style by default.
  case path
  /// The URL does not contain the bucket name, because the host is one bucket's custom domain (CNAME):
  /// `https://img.example.com/key`.
  case customDomain
}

extension AddressingStyle {
  /// Creates the default addressing style for a host: ``path`` for an IP address or `localhost`, otherwise
  /// ``virtualHosted``.
  ///
  /// - Parameter authority: A host, with or without a port.
  public init(authority: String) {
    self = isAddressOrLocalhost(authority) ? .path : .virtualHosted
  }
}
