// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

/// The network options of an S3 endpoint in a region.
///
/// Source: AWS, "Virtual hosting of general purpose buckets",
/// <https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html>.
public struct S3Network: OptionSet, Sendable, Hashable {
  /// The bit mask of the options.
  public let rawValue: UInt8

  /// Creates network options from a bit mask.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Hosts that have both IPv4 and IPv6 addresses.
  public static let dualStack = S3Network(rawValue: 1)

  /// Hosts with cryptography that is validated under FIPS 140, in the regions of the United States and Canada.
  public static let fips = S3Network(rawValue: 2)

  /// The endpoint for S3 Transfer Acceleration.
  ///
  /// The bucket must have acceleration enabled, and its name must not contain dots.
  public static let accelerated = S3Network(rawValue: 4)
}

extension ServiceEndpoint {
  /// Returns the Amazon S3 endpoint for a region.
  ///
  /// Services that are compatible with S3 have other endpoints: see ``s3(_:style:)``.
  ///
  /// - Parameters:
  ///   - region: The region ID, such as `eu-central-1`.
  ///   - network: The network options. Acceleration cannot be combined with FIPS.
  ///   - bucket: The bucket name, which only determines the addressing style. A name that contains dots, or that is not
  ///     a host label, becomes part of the path, because the certificate covers a single label.
  /// - Throws: `SigningError.Code.invalidConfiguration` if `region` is not a region ID, or if the network options
  ///   cannot be combined.
  public static func s3(
    region: String, network: S3Network = [], bucket: String? = nil
  ) throws(SigningError) -> ServiceEndpoint {
    guard region.isScopePart(atMost: 63), region != "aws-global" else {
      throw SigningError(
        .invalidConfiguration, "\"\(region)\" is not the name of a region.", remedy: "Write it like eu-central-1.")
    }
    let isLabel = bucket.map { !$0.hasByte(".") && $0 == $0.asciiLowercased } ?? true
    let domain = region.hasBytePrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    let dualStack = network.contains(.dualStack) ? ".dualstack" : ""
    if network.contains(.accelerated) {
      guard !network.contains(.fips), isLabel else {
        throw SigningError(
          .invalidConfiguration, "Acceleration cannot be combined with FIPS or with a bucket whose name has dots.",
          remedy: "Use the endpoint of the region.")
      }
      return try .s3("https://s3-accelerate\(dualStack).\(domain)", style: .virtualHosted)
    }
    let service = network.contains(.fips) ? "s3-fips" : "s3"
    return try .s3("https://\(service)\(dualStack).\(region).\(domain)", style: isLabel ? .virtualHosted : .path)
  }

  /// Returns the endpoint for a service that is compatible with S3.
  ///
  /// The endpoint accepts object keys of up to 1,024 bytes.
  ///
  /// ```swift
  /// let minio = try ServiceEndpoint.s3("https://minio.example.com:9000", style: .path)
  /// let r2 = try ServiceEndpoint.s3("https://<account>.r2.cloudflarestorage.com", style: .path)
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of the service, without a path.
  ///   - style: The position of the bucket name in the URL. `nil` means the path for an IP address or `localhost`, and
  ///     otherwise the host.
  /// - Throws: `SigningError.Code.invalidConfiguration` if the string is not a URL without a path.
  public static func s3(_ url: String, style: AddressingStyle? = nil) throws(SigningError) -> ServiceEndpoint {
    try ServiceEndpoint(url, style: style, keyByteLimit: s3KeyByteLimit)
  }

  /// The maximum length of an S3 object key in bytes of UTF-8.
  public static let s3KeyByteLimit = 1024
}

extension ServiceHosts {
  /// The host names of services that are compatible with S3.
  ///
  /// Amazon's own host names are parsed separately.
  public static let s3 = ServiceHosts(label: "s3")
}

/// The position of the bucket name in the URL of an S3 request.
package struct S3Address {
  /// The bucket name in the host, or `nil` if the host is the service itself.
  let bucket: String?
  /// Whether the first component of the path is the bucket name.
  let isInPath: Bool

  /// Creates an address from the host of a request.
  ///
  /// Amazon's hosts are parsed by Amazon's rule: `s3.<region>…` is the service, and the labels before it, including
  /// their dots, are the bucket name. For other hosts, the style determines the position. Without a style, the bucket
  /// name is in the path. A custom domain without a bucket name is the bucket name.
  init(authority: String, style: AddressingStyle?, customDomain: String? = nil) {
    let host = hostWithoutPort(authority).asciiLowercased
    if style == .customDomain {
      bucket = customDomain ?? host
      isInPath = false
    } else if style != .path, let (labels, service) = Self.vendorLabels(of: host) {
      let vendor = labels[..<service].joined(separator: ".")
      bucket = vendor.isEmpty ? nil : vendor
      isInPath = vendor.isEmpty
    } else if style == .virtualHosted, !isAddressOrLocalhost(host) {
      bucket = ServiceHosts.s3.bucket(in: host)
      isInPath = bucket == nil
    } else {
      bucket = nil
      isInPath = true
    }
  }

  /// Returns the labels before the domain in one of Amazon's hosts, and the index of the service's label.
  private static func vendorLabels(of host: String) -> (labels: [Substring], service: Int)? {
    guard let name = host.removingByteSuffix(".amazonaws.com") ?? host.removingByteSuffix(".amazonaws.com.cn") else {
      return nil
    }
    let labels = name.parts(between: ".")
    return labels.lastIndex { $0 == "s3" || $0.hasBytePrefix("s3-") }.map { (labels, $0) }
  }

  /// Returns the region in one of Amazon's hosts, or `nil` if the host contains no region.
  package static func region(in authority: String) -> String? {
    guard let (labels, service) = vendorLabels(of: hostWithoutPort(authority).asciiLowercased) else { return nil }
    let rest = labels[service...].dropFirst().filter { $0 != "dualstack" }
    switch labels[service] {
    case "s3", "s3-fips": return rest.count == 1 ? String(rest[0]) : nil
    case "s3-accelerate", "s3-accesspoint": return nil
    // The older form: `s3-eu-west-1.amazonaws.com`.
    default: return rest.isEmpty ? labels[service].removingBytePrefix("s3-").map { String($0) } : nil
    }
  }

  /// Returns whether the host and the given path address a bucket.
  func names(_ bucket: String, in path: String) -> Bool {
    if let named = self.bucket { return named.isIdentical(to: bucket) }
    let rest = path.removingBytePrefix("/") ?? path[...]
    if rest.isEmpty || rest.beginsWithByte("?") { return true }
    guard let behind = rest.removingBytePrefix(bucket) else { return false }
    return behind.isEmpty || behind.beginsWithByte("/") || behind.beginsWithByte("?")
  }

  /// Returns the reason why the signer cannot sign requests to a host, or `nil` if it can.
  static func unsupportedHost(_ authority: String) -> String? {
    // This check runs for every signature, so it creates no strings from the host.
    let (isGlobal, isExpress) = withBytes(of: authority) { host in
      var (isGlobal, isExpress) = (false, false)
      var index = 0
      while true {
        index = host.end(ofRunFrom: index) {
          $0.equal(UInt8(ascii: ".")).union($0.equal(UInt8(ascii: "-"))).inverted
        }
        guard index < host.count else { break }
        let rest = host.extracting(index...)
        if rest.starts(with: ".accesspoint.s3-global.amazonaws.com") { isGlobal = true }
        if rest.starts(with: ".s3express-") || rest.starts(with: "--x-s3.") { isExpress = true }
        index += 1
      }
      return (isGlobal, isExpress)
    }
    if isGlobal { return "Multi-region access points need Signature Version 4A, which is not supported." }
    if isExpress {
      return "Directory buckets (S3 Express One Zone) are not supported: they require a separate session."
    }
    return nil
  }
}
