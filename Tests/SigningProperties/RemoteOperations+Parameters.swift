// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension RemoteOperations {
  /// The parameters that select another operation of a request to OSS or COS, and several that modify one.
  package static let subresources = """
    accessPoint accessPointConfigForObjectProcess accessPointForObjectProcess accessPointPolicy
    accessPointPolicyForObjectProcess acl append asyncFetch bucketArchiveDirectRead bucketInfo callback callback-var
    cleanRestoredObject cloudboxes cname comp continuation-token cors delete encryption endTime group httpsConfig
    img inventory inventoryId legalHold lifecycle link live location logging metaQuery objectInfo objectMeta
    objectWorm overwriteConfig partNumber policy policyStatus position processConfiguration publicAccessBlock qos
    qosInfo qosRequester redundancyTransition referer regionList replication replicationLocation replicationProgress
    requestPayment requesterQosInfo resourceGroup resourcePool resourcePoolBuckets resourcePoolInfo
    response-cache-control response-content-disposition response-content-encoding response-content-language
    response-content-type response-expires restore retention rtc seal sequential startTime stat status style
    styleName symlink tagging transferAcceleration udf udfApplication udfApplicationLog udfImage udfImageDesc
    udfName uploadId uploads userDefinedLogFieldsConfig versionId versioning versions vip vod vpcip website worm
    wormExtend wormId x-oss-process x-oss-async-process x-oss-rename x-oss-delete x-oss-dir x-oss-traffic-limit
    x-oss-request-payer x-oss-ac-forward-allow x-oss-write-get-object-response accelerate domain intelligenttiering
    notification origin object-lock select torrent ci-process imageMogr2 imageView2 watermark
    """.split { $0 == " " || $0 == "\n" }.map(String.init)

  /// Whether a request with only this parameter may be signed for a user with every permission.
  package static func isSigned(_ method: HTTPRequest.Method, onObject: Bool, _ name: String, value: String?) -> Bool {
    switch (method, onObject, name) {
    case (.get, true, "uploadId"), (.post, true, "uploadId"), (.delete, true, "uploadId"): value != nil
    case (.post, true, "uploads"), (.post, false, "delete"): value == nil
    case (.get, false, "continuation-token"): true
    case (.get, true, _), (.head, true, _): name.hasPrefix("response-") || ["versionId", "objectMeta"].contains(name)
    default: false
    }
  }
}
