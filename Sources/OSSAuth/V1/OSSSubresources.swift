internal import StorageCrypto

/// Which query parameters are part of an OSS V1 signature.
///
/// The vendor's own SDKs disagree. This is the union of the lists of the Java, Python (oss2) and Go v2 SDKs, which are
/// tested against the service, and every parameter that starts with `x-oss-`, as Go signs them.
struct OSSSubresources: Sendable {
  /// Names that an application adds, for parameters that are newer than this list.
  private let extra: NameTable?

  init(adding extra: Set<String> = []) {
    self.extra = extra.isEmpty ? nil : NameTable(extra)
  }

  /// Whether a parameter is signed; its name is given as it travels.
  func contains(_ name: Span<UInt8>) -> Bool {
    if isListed(name) { return true }
    for index in name.indices where name[index] == UInt8(ascii: "%") || name[index] == UInt8(ascii: "+") {
      return containsDecoded(name)
    }
    return false
  }

  /// Whether a parameter is signed; its name is decoded.
  func contains(decoded name: String) -> Bool {
    withBytes(of: name) { isListed($0) }
  }

  private func containsDecoded(_ name: Span<UInt8>) -> Bool {
    isListed([UInt8](writing: { $0.append(decoding: name, plusIsSpace: true) }).span)
  }

  /// Whether a parameter is signed; its name is given decoded.
  func contains(decoded name: [UInt8]) -> Bool {
    isListed(name.span)
  }

  private func isListed(_ name: Span<UInt8>) -> Bool {
    name.starts(with: "x-oss-") || Self.known.contains(name) || extra?.contains(name) == true
  }

  private static let known = NameTable(
    """
    accessPoint accessPointConfigForObjectProcess accessPointForObjectProcess accessPointPolicy
    accessPointPolicyForObjectProcess acl append asyncFetch bucketArchiveDirectRead bucketInfo callback callback-var
    cleanRestoredObject cloudboxes cname comp continuation-token cors delete encryption endTime group httpsConfig img
    inventory inventoryId legalHold lifecycle link live location logging metaQuery objectInfo objectMeta objectWorm
    overwriteConfig partNumber policy policyStatus position processConfiguration publicAccessBlock qos qosInfo
    qosRequester redundancyTransition referer regionList replication replicationLocation replicationProgress
    requestPayment requesterQosInfo resourceGroup resourcePool resourcePoolBuckets resourcePoolInfo
    response-cache-control response-content-disposition response-content-encoding response-content-language
    response-content-type response-expires restore retention rtc seal security-token sequential startTime stat status
    style styleName symlink tagging transferAcceleration udf udfApplication udfApplicationLog udfImage udfImageDesc
    udfName uploadId uploads userDefinedLogFieldsConfig versionId versioning versions vip vod vpcip website worm
    wormExtend wormId
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}
