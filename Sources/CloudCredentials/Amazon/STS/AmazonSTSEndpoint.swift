internal import StorageAuth

/// The address at which Amazon's token service (STS) is asked, and the region that its calls are signed for.
///
/// Services that speak like it, such as MinIO's, have an address of their own.
public struct AmazonSTSEndpoint: Sendable, Hashable {
  let region: String
  private let ownURL: String?

  /// The endpoint that works from everywhere: `sts.amazonaws.com`.
  public static let global = AmazonSTSEndpoint(region: "us-east-1", ownURL: "https://sts.amazonaws.com")

  /// The endpoint of a region: `sts.<region>.amazonaws.com`.
  ///
  /// - Parameter region: The region, such as `eu-central-1`.
  public static func region(_ region: String) -> AmazonSTSEndpoint {
    AmazonSTSEndpoint(region: region, ownURL: nil)
  }

  /// An endpoint of one's own.
  ///
  /// - Parameters:
  ///   - url: Scheme, host and port; `https`, or `http` on this machine.
  ///   - region: The region that calls are signed for.
  public static func url(_ url: String, region: String = "us-east-1") -> AmazonSTSEndpoint {
    AmazonSTSEndpoint(region: region, ownURL: url)
  }

  var url: String {
    ownURL ?? "https://sts.\(region).\(region.hasBytePrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com")"
  }

  /// The address to send calls to; a region that is none, and could change the host, is refused.
  func address(_ check: RequestCheck) throws(CredentialError) -> ServiceURL {
    guard isAmazonRegion(region) else {
      throw check.refused("The region is not the name of one.", "Write it like eu-central-1.")
    }
    return try check.address(url).appending("/")
  }
}

/// Whether a text can be the name of a region, which stands in hosts and in scopes: `[a-z0-9-]+`, with a letter or a digit
/// at both ends.
func isAmazonRegion(_ text: String) -> Bool {
  (1...63).contains(text.utf8.count) && !text.hasBytePrefix("-") && !text.hasByteSuffix("-")
    && text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
}
