// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension PolicyLanguage {
  /// The policy language of Tencent Cloud CAM, version 2.0.
  ///
  /// Action names can have the prefix `name/`. Action groups (`permid`) are not supported. Page: "Element Reference".
  static let cam = PolicyLanguage(
    versions: ["2.0"], effects: Effects(allow: "allow", deny: "deny", ignoresCase: true), members: [],
    capitalizesMembers: false, actionPrefix: "name/", ignoresActionCase: false, existenceSuffix: "_if_exist",
    absence: .fails, keys: camKeys, comparisons: camComparisons, parts: camParts)

  @Sendable
  private static func camParts(_ resource: String) -> [String]? {
    var parts = resource.parts(between: ":", atMost: 5).map(String.init)
    guard parts.count == 6, parts[0] == "qcs", parts[1].isEmpty else { return nil }
    // The older resource format is `prefix//APPID/short bucket name/key`.
    let old = parts[5].parts(between: "/", atMost: 4)
    if old.count == 5, old[0] == "prefix", old[1].isEmpty { parts[5] = "\(old[3])-\(old[2])/\(old[4])" }
    return parts
  }

  private static let camKeys: Set = [
    "qcs:ip", "qcs:current_time", "cos:secure-transport", "cos:content-type", "cos:content-length", "cos:prefix",
    "cos:x-cos-acl", "cos:x-cos-storage-class", "cos:response-content-type", "cos:versionid",
  ]

  private static let camComparisons: [String: Comparison] = [
    "string_equal": Comparison(.text), "string_not_equal": Comparison(.text, not: true),
    "string_equal_ignore_case": Comparison(.textIgnoringCase),
    "string_not_equal_ignore_case": Comparison(.textIgnoringCase, not: true),
    "string_like": Comparison(.pattern), "string_not_like": Comparison(.pattern, not: true),
    "numeric_equal": Comparison(.number(.equal)), "numeric_not_equal": Comparison(.number(.equal), not: true),
    "numeric_less_than": Comparison(.number(.less)), "numeric_less_than_equal": Comparison(.number(.lessOrEqual)),
    "numeric_greater_than": Comparison(.number(.greater)),
    "numeric_greater_than_equal": Comparison(.number(.greaterOrEqual)),
    "date_equal": Comparison(.date(.equal)), "date_not_equal": Comparison(.date(.equal), not: true),
    "date_less_than": Comparison(.date(.less)), "date_less_than_equal": Comparison(.date(.lessOrEqual)),
    "date_greater_than": Comparison(.date(.greater)), "date_greater_than_equal": Comparison(.date(.greaterOrEqual)),
    "bool_equal": Comparison(.truth), "ip_equal": Comparison(.network), "ip_not_equal": Comparison(.network, not: true),
    "null_equal": Comparison(.absence),
  ]
}
