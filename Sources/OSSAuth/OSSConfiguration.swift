internal import StorageAuth

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
