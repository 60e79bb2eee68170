public import StorageAuth

/// The service that a request was signed for, as far as it is known.
public struct SignedService: Sendable, Hashable {
  enum Provider: Hashable {
    case oss
    case cos
  }

  let provider: Provider
  let bucket: String?
  let region: String?
  let style: AddressingStyle?

  /// Alibaba Cloud OSS; the version of the signature is read from the request.
  ///
  /// - Parameters:
  ///   - bucket: The bucket that was signed; needed for a custom domain.
  ///   - region: The region of the bucket, where it is known otherwise than from the signature.
  ///   - style: Where the bucket is in the URL; found out from the host if not given.
  public static func oss(
    bucket: String? = nil, region: String? = nil, style: AddressingStyle? = nil
  ) -> SignedService {
    SignedService(provider: .oss, bucket: bucket, region: region, style: style)
  }

  /// Tencent Cloud COS.
  ///
  /// - Parameter style: Where the bucket is in the URL; found out from the host if not given.
  public static func cos(style: AddressingStyle? = nil) -> SignedService {
    SignedService(provider: .cos, bucket: nil, region: nil, style: style)
  }
}
