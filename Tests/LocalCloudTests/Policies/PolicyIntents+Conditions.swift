// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension PolicyIntent {
  /// Intents with conditions, and intents that one cloud's policy language cannot express.
  static let conditions: [PolicyIntent] = [
    PolicyIntent(
      "from a network", rule(.read, on: .all, from: office),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/*"],"Condition":{"IpAddress":{"acs:SourceIp":"203.0.113.0/24"}}}"#
      ]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject"],"resource":["$C/*"],"condition":{"ip_equal":{"qcs:ip":"203.0.113.0/24"}}}"#
      ])),
    PolicyIntent(
      "read and list from two networks", rule(.read, .list, on: .all, from: two),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/*"],"Condition":{"IpAddress":{"acs:SourceIp":["192.168.0.0/16","172.16.0.0/12"]}}}"#,
        #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"],"Condition":{"IpAddress":{"acs:SourceIp":["192.168.0.0/16","172.16.0.0/12"]}}}"#,
      ]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject","name/cos:GetBucket"],"resource":["$C/*"],"condition":{"ip_equal":{"qcs:ip":["192.168.0.0/16","172.16.0.0/12"]}}}"#
      ])),
    PolicyIntent(
      "list a prefix from a network", rule(.list, from: office),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"],"Condition":{"StringLike":{"oss:Prefix":"uploads/alice/*"},"IpAddress":{"acs:SourceIp":"203.0.113.0/24"}}}"#
      ]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetBucket"],"resource":["$C/uploads/alice/*"],"condition":{"ip_equal":{"qcs:ip":"203.0.113.0/24"}}}"#
      ])),
    PolicyIntent(
      "until then", rule(.delete, until: end),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["$R/uploads/alice/*"],"Condition":{"DateLessThan":{"acs:CurrentTime":"2026-11-20T09:00:00Z"}}}"#
      ]),
      cam: .error(.unsupportedCondition)),
    PolicyIntent(
      "from a network until then", rule(.delete, from: office, until: end),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["$R/uploads/alice/*"],"Condition":{"IpAddress":{"acs:SourceIp":"203.0.113.0/24"},"DateLessThan":{"acs:CurrentTime":"2026-11-20T09:00:00Z"}}}"#
      ]),
      cam: .error(.unsupportedCondition)),
    PolicyIntent(
      "write up to a size", rule(.write, upTo: 5_242_880),
      ram: .error(.unsupportedCondition),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:PutObject","name/cos:PostObject"],"resource":["$C/uploads/alice/*"],"condition":{"numeric_less_than_equal":{"cos:content-length":5242880}}}"#
      ])),
    PolicyIntent(
      "write pictures", rule(.write, types: ["image/*"]),
      ram: .error(.unsupportedCondition),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:ListMultipartUploads","name/cos:ListParts","name/cos:UploadPart","name/cos:CompleteMultipartUpload","name/cos:AbortMultipartUpload"],"resource":["$C/uploads/alice/*"]}"#,
        #"{"effect":"allow","action":["name/cos:PutObject","name/cos:PostObject","name/cos:InitiateMultipartUpload"],"resource":["$C/uploads/alice/*"],"condition":{"string_like":{"cos:content-type":"image/*"}}}"#,
      ])),
    PolicyIntent(
      "write one type up to a size", rule(.write, upTo: 10, types: ["image/jpeg"]),
      ram: .error(.unsupportedCondition),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:PutObject","name/cos:PostObject"],"resource":["$C/uploads/alice/*"],"condition":{"string_equal":{"cos:content-type":"image/jpeg"},"numeric_less_than_equal":{"cos:content-length":10}}}"#
      ])),
    PolicyIntent(
      "write two types up to a size from a network",
      rule(.write, upTo: 0, types: ["Image/PNG", "text/*"], from: office),
      ram: .error(.unsupportedCondition),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:PutObject","name/cos:PostObject"],"resource":["$C/uploads/alice/*"],"condition":{"string_like":{"cos:content-type":["image/png","text/*"]},"numeric_less_than_equal":{"cos:content-length":0},"ip_equal":{"qcs:ip":"203.0.113.0/24"}}}"#
      ])),
    PolicyIntent(
      "write up to a size, and read", rule(.read, .write, upTo: 10),
      ram: .error(.unsupportedCondition),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject"],"resource":["$C/uploads/alice/*"]}"#,
        #"{"effect":"allow","action":["name/cos:PutObject","name/cos:PostObject"],"resource":["$C/uploads/alice/*"],"condition":{"numeric_less_than_equal":{"cos:content-length":10}}}"#,
      ])),
    PolicyIntent(
      "read, with a size that applies only to writing", rule(.read, on: .all, upTo: 10, types: ["image/*"]),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/*"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject"],"resource":["$C/*"]}"#
      ])),
    PolicyIntent(
      "a rule without actions beside another", rule(), rule(.read, on: .all),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/*"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject"],"resource":["$C/*"]}"#
      ])),
    same("a star in a key", rule(.read, on: .key("a*b")), .unsupportedKey),
    same("a question mark in a prefix", rule(.list, on: .prefix("a?")), .unsupportedKey),
    same("a variable in a prefix", rule(.read, on: .prefix("${uin}/")), .unsupportedKey),
    same("a star with an accent", rule(.read, on: .prefix("users/*\u{301}/")), .unsupportedKey),
    same("a question mark with an accent", rule(.read, on: .prefix("users/?\u{301}/")), .unsupportedKey),
    same("a variable with an accent", rule(.read, on: .prefix("${\u{301}uin}/")), .unsupportedKey),
    PolicyIntent(
      "two prefixes that only look alike", rule(.list, on: .prefix("\u{e9}/")), rule(.list, on: .prefix("e\u{301}/")),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"],"Condition":{"StringLike":{"oss:Prefix":"\#u{e9}/*"}}}"#,
        #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"],"Condition":{"StringLike":{"oss:Prefix":"e\#u{301}/*"}}}"#,
      ]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetBucket"],"resource":["$C/\#u{e9}/*","$C/e\#u{301}/*"]}"#
      ])),
    same(
      "addresses of version 6", rule(.read, from: AddressRange("2001:db8::/32").map { [$0] }), .unsupportedCondition),
    same("from no address", rule(.read, from: []), .invalidRule),
    same("no media type", rule(.write, types: []), .invalidRule),
    same("every media type", rule(.write, types: ["*/*"]), .invalidRule),
    same("a media type with a star within", rule(.write, types: ["image/p*g"]), .invalidRule),
    same("a negative size", rule(.write, upTo: -1), .invalidRule),
    same("the empty key", rule(.read, on: .key("")), .invalidRule),
    same("no actions", rule(), .empty),
    same("a star for a bucket", rule(.read, in: "photos*"), .invalidBucket),
    same("a bucket with a colon", rule(.read, in: "a:b-1250000000"), .invalidBucket),
    PolicyIntent(
      "a bucket without the number of the app", rule(.delete, on: .all, in: "photos"),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["acs:oss:*:*:photos/*"]}"#]),
      cam: .error(.invalidBucket)),
    PolicyIntent(
      "a bucket with something else at its end", rule(.delete, on: .all, in: "photos-12"),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["acs:oss:*:*:photos-12/*"]}"#]),
      cam: .error(.invalidBucket)),
  ]

  private static func same(_ meaning: String, _ rule: AccessRule, _ code: PolicyError.Code) -> PolicyIntent {
    PolicyIntent(meaning, rule, ram: .error(code), cam: .error(code))
  }
}
