/// Where the name of the bucket stands in a URL.
public enum AddressingStyle: String, Sendable, Hashable, CaseIterable {
  /// In the host: `https://bucket.oss-cn-hangzhou.aliyuncs.com/key`.
  case virtualHosted
  /// In the path: `http://127.0.0.1:9000/bucket/key`. IP addresses and `localhost` are always addressed like this.
  case path
  /// Nowhere: the host is a domain of the user's own that stands for one bucket (CNAME): `https://img.example.com/key`.
  case customDomain
}

extension AddressingStyle {
  /// Creates the style that a host calls for if nothing else is said: ``path`` for an IP address or `localhost`, else
  /// ``virtualHosted``.
  ///
  /// - Parameter authority: A host, with or without a port.
  public init(authority: String) {
    self = isAddressOrLocalhost(authority) ? .path : .virtualHosted
  }
}
