// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// An endpoint of Amazon's token service (STS) or of a compatible service, with the region in the signature's scope.
///
/// Compatible services, such as MinIO, have custom URLs; see ``url(_:region:)``.
public struct AmazonSTSEndpoint: Sendable, Hashable {
  let region: String
  private let ownURL: String?

  /// The global STS endpoint, which is reachable from everywhere: `sts.amazonaws.com`.
  public static let global = AmazonSTSEndpoint(region: "us-east-1", ownURL: "https://sts.amazonaws.com")

  /// Returns the STS endpoint for a region: `sts.<region>.amazonaws.com`.
  ///
  /// - Parameter region: The region ID, such as `eu-central-1`.
  public static func region(_ region: String) -> AmazonSTSEndpoint {
    AmazonSTSEndpoint(region: region, ownURL: nil)
  }

  /// Returns a custom STS endpoint.
  ///
  /// - Parameters:
  ///   - url: The endpoint's URL with scheme, host and port. The scheme is `https`, or `http` if the server runs on
  ///     this machine.
  ///   - region: The region in the signature's scope.
  public static func url(_ url: String, region: String = "us-east-1") -> AmazonSTSEndpoint {
    AmazonSTSEndpoint(region: region, ownURL: url)
  }

  var url: String {
    ownURL ?? "https://sts.\(region).\(region.hasBytePrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com")"
  }

  /// Returns the URL for requests to this endpoint, or throws an error if the region or the URL is invalid.
  ///
  /// An invalid region is rejected because it could change the host.
  func address(_ check: RequestCheck) throws(CredentialError) -> ServiceURL {
    guard isAmazonRegion(region) else {
      throw check.refused("The name of the region is not valid.", "Write it like eu-central-1.")
    }
    return try check.address(url).appending("/")
  }
}

/// Returns whether a string can be a region ID in hosts and scopes.
///
/// A region ID matches `[a-z0-9-]+` and begins and ends with a letter or a digit.
func isAmazonRegion(_ text: String) -> Bool {
  (1...63).contains(text.utf8.count) && !text.hasBytePrefix("-") && !text.hasByteSuffix("-")
    && text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
}
