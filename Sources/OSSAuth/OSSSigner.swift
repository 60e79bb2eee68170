public import HTTPTypes
public import StorageAuth

/// Signs requests to Alibaba Cloud OSS: in headers, in URLs, and in two halves for a key that is kept elsewhere.
///
/// ```swift
/// let signer = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou")
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
///
/// The bucket is part of what is signed even where it is not in the URL, so a custom domain needs it. The path and the
/// query are signed as the service reads them and are never changed; presigning appends to them.
///
/// Source of the rules: the vendor's documentation of V1 and V4 signatures, and the behaviour of its SDKs where that is
/// silent; see `Documentation/OSS.md`.
public struct OSSSigner: SplitSigner, Presigner {
  /// What is signed.
  public typealias Request = HTTPRequest
  /// What it is signed with.
  public typealias Proof = AccessKey

  /// The version of the signature.
  public let version: OSSSignatureVersion

  /// The bucket; nothing if it is read from the request.
  public let bucket: String?

  /// The region in its general form, such as `cn-hangzhou`.
  public let region: String

  /// The product in the scope of V4: `oss`, or `oss-cloudbox` with the id of a cloud box as region.
  public let product: String

  /// Where the bucket's name is in the URL; nothing if the host decides.
  public let style: AddressingStyle?

  /// Whether V1 URLs and forms are signed for keys that hold a question mark, and URLs for parameters with the same
  /// problem, although such a signature is also one for another key with other parameters.
  public let allowsAmbiguousV1: Bool

  let additionalHeaders: [String]
  let subresources: OSSSubresources
  private let problem: SigningError?

  /// Sets up a signer.
  ///
  /// Nothing is thrown here; a signer that is set up wrongly refuses to sign and says why.
  ///
  /// - Parameters:
  ///   - version: The version of the signature.
  ///   - bucket: The bucket. It may be left out where the URL names it: in the path, or before `aliyuncs.com`.
  ///   - region: The region in its general form, such as `cn-hangzhou`; V1 needs none.
  ///   - product: The product in the scope of V4.
  ///   - style: Where the bucket's name is in the URL. If not given: in the path for an IP address or `localhost`, else
  ///     not in the path.
  ///   - additionalHeaders: Names of headers that V4 signs although it does not have to, such as `host`; those that a
  ///     request lacks are left out.
  ///   - additionalSubresources: Names of query parameters that V1 signs and that are newer than this package.
  ///   - allowsAmbiguousV1: Whether V1 URLs and forms are signed for keys that hold a question mark, and URLs for
  ///     parameters with the same problem.
  public init(
    _ version: OSSSignatureVersion = .v4, bucket: String? = nil, region: String = "", product: String = "oss",
    style: AddressingStyle? = nil, additionalHeaders: Set<String> = [], additionalSubresources: Set<String> = [],
    allowsAmbiguousV1: Bool = false
  ) {
    self.version = version
    self.bucket = bucket
    self.region = region
    self.product = product
    self.style = style
    self.allowsAmbiguousV1 = allowsAmbiguousV1
    self.additionalHeaders = Set(additionalHeaders.map { $0.asciiLowercased })
      .filter { !OSSV4Request.isSignedByRule($0) }.sorted()
    subresources = OSSSubresources(adding: additionalSubresources)
    problem = OSSConfiguration.problem(version: version, bucket: bucket, region: region, product: product)
  }

  /// Until when a key has to live so that a request signed at `date` is accepted: two seconds, for the way to the service.
  public func requiredValidity(from date: Timestamp) -> Timestamp {
    date.advanced(by: .seconds(2))
  }

  /// Until when a key has to live so that a URL signed at `date` works for its whole duration.
  public func requiredValidity(from date: Timestamp, validFor duration: Duration) -> Timestamp {
    date.advanced(by: duration)
  }

  /// Refuses a signer that was set up wrongly.
  func checkConfiguration() throws(SigningError) {
    if let problem { throw problem }
  }
}
