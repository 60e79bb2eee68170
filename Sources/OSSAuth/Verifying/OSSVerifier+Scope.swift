internal import StorageAuth

extension OSSVerifier {
  /// Refuses a version that is not accepted.
  func check(_ version: OSSSignatureVersion) throws(VerificationError) {
    guard acceptedVersions.contains(version) else {
      let accepted = acceptedVersions.map { $0.rawValue.asciiUppercased }.sorted().joined(separator: " and ")
      throw VerificationError(
        .unsupported, "A \(version.rawValue.asciiUppercased) signature is not accepted.",
        remedy: accepted.isEmpty ? "Have the verifier accept a version." : "Sign with OSS \(accepted).")
    }
  }

  /// Refuses a scope that is for another region, product or day.
  func check(_ scheme: OSSClaim.V4) throws(VerificationError) {
    guard region.map({ $0 == scheme.region }) ?? OSSConfiguration.isRegion(scheme.region) else {
      throw .wrongScope(
        .region, "The signature is for the region \"\(scheme.region)\".",
        remedy: "Sign for the region of the bucket, spelt like cn-hangzhou.")
    }
    guard scheme.product == product else {
      throw .wrongScope(
        .product, "The signature is for the product \"\(scheme.product)\".", remedy: "Sign for the product \(product).")
    }
    guard scheme.day == scheme.date.iso8601Basic.prefix(8) else {
      throw .wrongScope(
        .day, "The day of the scope is not the day of x-oss-date.", remedy: "Use the day of x-oss-date, in UTC.")
    }
  }

  /// Refuses a request that was signed too long ago, or in the future.
  func checkSkew(_ instant: Timestamp, at date: Timestamp) throws(VerificationError) {
    let distance = instant.duration(to: date)
    guard distance <= OSSLimits.clockTolerance, distance >= .zero - OSSLimits.clockTolerance else {
      throw VerificationError(
        .clockSkew, "The request was signed at \(instant) and arrived at \(date).",
        remedy: "Set the clock; the service accepts fifteen minutes."
      ).with(instant: instant)
    }
  }

  /// Refuses a URL that is not valid yet or no longer, or that was made for too long.
  func checkWindow(
    _ start: Timestamp, lifetime: Int64, isTemporary: Bool, at date: Timestamp
  ) throws(VerificationError) -> Timestamp {
    let seconds = OSSLimits.urlSeconds(isTemporary: isTemporary)
    guard seconds.contains(lifetime) else {
      throw VerificationError(
        .malformed, "The lifetime of the URL is not 1 to \(seconds.upperBound) seconds.",
        remedy: "Make a URL that ends earlier.")
    }
    let end = start.advanced(by: .seconds(lifetime))
    guard date <= end else { throw Self.expired(end) }
    guard start.advanced(by: .zero - OSSLimits.clockTolerance) <= date else {
      throw VerificationError(
        .notYetValid, "The URL is valid from \(start).", remedy: "Set the clock of the machine that signs."
      ).with(instant: start)
    }
    return end
  }

  static func expired(_ end: Timestamp) -> VerificationError {
    VerificationError(.expired, "The URL ended at \(end).", remedy: "Make a new one.").with(instant: end)
  }
}
