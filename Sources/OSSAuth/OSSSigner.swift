public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

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
/// silent; see `Sources/OSSAuth/OSSAuth.docc/OSS.md`.
public struct OSSSigner: SplitSigner, Presigner {
  /// What is signed.
  public typealias Request = HTTPRequest
  /// What it is signed with.
  public typealias SigningCredential = AccessKey

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

/// A version of the OSS signature.
public enum OSSSignatureVersion: String, Sendable, Hashable, CaseIterable {
  /// HMAC-SHA-256 with a key derived for a day, a region and a product; the version to use.
  case v4
  /// HMAC-SHA-1; refused for new accounts and new buckets since 2025, kept for the others.
  case v1
}

/// What a signer can be set up with.
enum OSSConfiguration {
  /// The reason why a signer cannot work, if there is one.
  static func problem(
    version: OSSSignatureVersion, bucket: String?, region: String, product: String
  ) -> SigningError? {
    if let bucket, !isBucketName(bucket) && !isHost(bucket) {
      return SigningError(
        .invalidConfiguration, "\"\(bucket)\" is not the name of a bucket.",
        remedy: "Use the name as the console shows it.")
    }
    guard version == .v4 else { return nil }
    if let advice = regionProblem(region) { return advice }
    guard isScopePart(product) else {
      return SigningError(
        .invalidConfiguration, "\"\(product)\" is not a product.", remedy: "Use oss, or oss-cloudbox for a cloud box.")
    }
    return nil
  }

  /// Whether a text can be a region as V4 spells it.
  static func isRegion(_ text: String) -> Bool { regionProblem(text) == nil }

  /// Why a text is not the name of a region, with the right spelling where that is clear.
  static func regionProblem(_ region: String) -> SigningError? {
    let example = "Write it like cn-hangzhou."
    var advice: String?
    if region.isEmpty {
      return SigningError(.invalidConfiguration, "V4 signatures need the region of the bucket.", remedy: example)
    } else if region.hasBytePrefix("oss-") {
      advice = "Leave out \"oss-\": \(region.dropFirst(4))."
    } else if region.hasByteSuffix("-internal") {
      advice = "Leave out \"-internal\": \(region.dropLast(9)). It belongs in the endpoint."
    } else if !isScopePart(region) {
      advice = "Use lower-case letters, digits and hyphens. " + example
    } else if !region.hasByte("-") {
      advice = "Put the country in front. " + example
    }
    return advice.map {
      SigningError(.invalidConfiguration, "\"\(region)\" is not the name of a region.", remedy: $0)
    }
  }

  private static func isScopePart(_ text: String) -> Bool {
    !text.isEmpty && !text.hasBytePrefix("-") && !text.hasByteSuffix("-")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}

extension OSSSigner {
  /// Returns where the bucket of a request comes from.
  func resource(authority: String?, path: String) throws(SigningError) -> OSSResource {
    guard let authority else { throw Self.noHost }
    return try withBytes(of: authority) { (bytes) throws(SigningError) in
      let host = HostName(bytes)
      guard host.isWellFormed else { throw Self.noHost }
      switch style ?? (host.isAddressOrLocalhost ? .path : .virtualHosted) {
      case .path:
        try checkBucket(in: path)
        return .inPath
      case .virtualHosted:
        let bucketEnd = ServiceHosts.oss.bucketEnd(of: host, in: bytes)
        if let bucket {
          // Without a style, a host that is not the vendor's own is taken for a custom domain, whatever its first label is.
          let isService = bucketEnd == nil && (style != nil || ServiceHosts.oss.owns(host, in: bytes))
          return isService ? .service : .bucket(bucket)
        }
        guard let bucketEnd else { return .service }
        guard ServiceHosts.oss.owns(host, in: bytes) else { throw Self.bucketNeeded(authority) }
        return .bucket(String(writing: { $0.append(bytes.extracting(..<bucketEnd)) }))
      case .customDomain:
        guard let bucket else { throw Self.bucketNeeded(authority) }
        return .bucket(bucket)
      }
    }
  }

  private static let noHost = SigningError(
    .invalidRequest, "The request has no host, or a malformed one.",
    remedy: "Set its authority, such as photos.oss-cn-hangzhou.aliyuncs.com.")

  private func checkBucket(in path: String) throws(SigningError) {
    guard let bucket else { return }
    let rest = path[path.utf8.dropFirst().startIndex...]
    if rest.isEmpty || rest.beginsWithByte("?") { return }
    let behind = rest.removingBytePrefix(bucket)
    guard let behind, behind.utf8.first.map({ "/?".utf8.contains($0) }) ?? true else {
      throw SigningError(
        .invalidRequest, "The path does not start with the bucket \"\(bucket)\", and the host has no room for it.",
        remedy: "Start the path with /\(bucket)/, or set the addressing style.")
    }
  }

  private static func bucketNeeded(_ host: String) -> SigningError {
    SigningError(
      .invalidConfiguration, "The host \(host) does not say which bucket it stands for, and the signature needs it.",
      remedy: "Name the bucket when the signer is made.")
  }
}
