// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// An intended permission with the expected result for each cloud: the statements of the document, or the error.
///
/// In the statements `$R` stands for the bucket in RAM, `$C` in CAM, `$W` for the actions of a write in RAM, and `$U`
/// for those in CAM, in the order of Tencent's guide to authorizing COS.
struct PolicyIntent {
  enum Answer {
    case statements([String])
    case error(PolicyError.Code)
  }

  static let bucket = "photos-1250000000"
  static let end = Timestamp(unixSeconds: 1_795_165_200)
  static let office = AddressRange("203.0.113.0/24").map { [$0] } ?? []
  static let two = ["192.168.0.0/16", "172.16.0.0/12"].compactMap { AddressRange($0) }

  let meaning: String
  let rules: [AccessRule]
  let ram: Answer
  let cam: Answer

  init(_ meaning: String, _ rules: AccessRule..., ram: Answer, cam: Answer) {
    self.meaning = meaning
    self.rules = rules
    self.ram = ram
    self.cam = cam
  }

  static func rule(
    _ actions: AccessAction..., on keys: ObjectScope = .prefix("uploads/alice/"), upTo size: Int64? = nil,
    types: [String]? = nil, from addresses: [AddressRange]? = nil, until end: Timestamp? = nil,
    in bucket: String = bucket
  ) -> AccessRule {
    var rule = AccessRule(objects: keys, in: bucket, upTo: size, types: types, from: addresses, until: end)
    rule.actions = Set(actions)
    return rule
  }

  /// A document with the placeholders of its statements replaced.
  static func written(_ statements: [String], version: String, _ name: String) -> String {
    let short = [
      "$R": "acs:oss:*:*:photos-1250000000", "$C": "qcs::cos:ap-guangzhou:uid/1250000000:photos-1250000000",
      "$W": #""oss:PutObject","oss:AbortMultipartUpload","oss:ListParts""#,
      "$U": [
        "PutObject", "PostObject", "InitiateMultipartUpload", "ListMultipartUploads", "ListParts", "UploadPart",
        "CompleteMultipartUpload", "AbortMultipartUpload",
      ].map { "\"name/cos:\($0)\"" }.joined(separator: ","),
    ]
    var text = statements.joined(separator: ",")
    for (name, long) in short { text = text.replacing(name, with: long) }
    return version == "1" ? #"{"Version":"1","Statement":[\#(text)]}"# : #"{"version":"2.0","statement":[\#(text)]}"#
  }
}

extension PolicyIntent {
  /// Intents about actions and objects.
  static let scopes: [PolicyIntent] = [
    PolicyIntent(
      "upload under a prefix", rule(.write),
      ram: .statements([#"{"Effect":"Allow","Action":[$W],"Resource":["$R/uploads/alice/*"]}"#]),
      cam: .statements([#"{"effect":"allow","action":[$U],"resource":["$C/uploads/alice/*"]}"#])),
    PolicyIntent(
      "get under a prefix", rule(.read),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/uploads/alice/*"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject"],"resource":["$C/uploads/alice/*"]}"#
      ])),
    PolicyIntent(
      "delete under a prefix", rule(.delete),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["$R/uploads/alice/*"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:DeleteObject","name/cos:DeleteMultipleObjects"],"resource":["$C/uploads/alice/*"]}"#
      ])),
    PolicyIntent(
      "list a prefix", rule(.list),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"],"Condition":{"StringLike":{"oss:Prefix":"uploads/alice/*"}}}"#
      ]),
      cam: .statements([#"{"effect":"allow","action":["name/cos:GetBucket"],"resource":["$C/uploads/alice/*"]}"#])),
    PolicyIntent(
      "list a bucket", rule(.list, on: .all),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"]}"#]),
      cam: .statements([#"{"effect":"allow","action":["name/cos:GetBucket"],"resource":["$C/*"]}"#])),
    PolicyIntent(
      "list one prefix and none below it", rule(.list, on: .key("a/")),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"],"Condition":{"StringEquals":{"oss:Prefix":"a/"}}}"#
      ]),
      cam: .statements([#"{"effect":"allow","action":["name/cos:GetBucket"],"resource":["$C/a/"]}"#])),
    PolicyIntent(
      "list with the empty prefix", rule(.list, on: .prefix("")),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"]}"#]),
      cam: .statements([#"{"effect":"allow","action":["name/cos:GetBucket"],"resource":["$C/*"]}"#])),
    PolicyIntent(
      "read one object", rule(.read, on: .key("a/cat.jpg")),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/a/cat.jpg"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject"],"resource":["$C/a/cat.jpg"]}"#
      ])),
    PolicyIntent(
      "write one object", rule(.write, on: .key("a/cat.jpg")),
      ram: .statements([#"{"Effect":"Allow","Action":[$W],"Resource":["$R/a/cat.jpg"]}"#]),
      cam: .statements([#"{"effect":"allow","action":[$U],"resource":["$C/a/cat.jpg"]}"#])),
    PolicyIntent(
      "read a bucket", rule(.read, on: .all),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/*"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject"],"resource":["$C/*"]}"#
      ])),
    PolicyIntent(
      "everything under a prefix", rule(.read, .write, .delete, .list),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:GetObject",$W,"oss:DeleteObject"],"Resource":["$R/uploads/alice/*"]}"#,
        #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"],"Condition":{"StringLike":{"oss:Prefix":"uploads/alice/*"}}}"#,
      ]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject",$U,"name/cos:DeleteObject","name/cos:DeleteMultipleObjects","name/cos:GetBucket"],"resource":["$C/uploads/alice/*"]}"#
      ])),
    PolicyIntent(
      "read and list a bucket", rule(.read, .list, on: .all),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/*"]}"#,
        #"{"Effect":"Allow","Action":["oss:ListObjects"],"Resource":["$R"]}"#,
      ]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject","name/cos:GetBucket"],"resource":["$C/*"]}"#
      ])),
    PolicyIntent(
      "write to one folder, read from another", rule(.write, on: .prefix("doc/")), rule(.read, on: .prefix("doc2/")),
      ram: .statements([
        #"{"Effect":"Allow","Action":[$W],"Resource":["$R/doc/*"]}"#,
        #"{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["$R/doc2/*"]}"#,
      ]),
      cam: .statements([
        #"{"effect":"allow","action":[$U],"resource":["$C/doc/*"]}"#,
        #"{"effect":"allow","action":["name/cos:GetObject","name/cos:HeadObject"],"resource":["$C/doc2/*"]}"#,
      ])),
    PolicyIntent(
      "the same in two folders", rule(.write, on: .prefix("a/")), rule(.write, on: .prefix("b/")),
      ram: .statements([#"{"Effect":"Allow","Action":[$W],"Resource":["$R/a/*","$R/b/*"]}"#]),
      cam: .statements([#"{"effect":"allow","action":[$U],"resource":["$C/a/*","$C/b/*"]}"#])),
    PolicyIntent(
      "the same twice", rule(.delete), rule(.delete),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["$R/uploads/alice/*"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:DeleteObject","name/cos:DeleteMultipleObjects"],"resource":["$C/uploads/alice/*"]}"#
      ])),
    PolicyIntent(
      "two buckets", rule(.delete, on: .all), rule(.delete, on: .all, in: "archive-1250000001"),
      ram: .statements([
        #"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["$R/*","acs:oss:*:*:archive-1250000001/*"]}"#
      ]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:DeleteObject","name/cos:DeleteMultipleObjects"],"resource":["$C/*","qcs::cos:ap-guangzhou:uid/1250000001:archive-1250000001/*"]}"#
      ])),
    PolicyIntent(
      "a prefix within a name", rule(.delete, on: .prefix("logs/2026-")),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["$R/logs/2026-*"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:DeleteObject","name/cos:DeleteMultipleObjects"],"resource":["$C/logs/2026-*"]}"#
      ])),
    PolicyIntent(
      "a folder that is not in Latin letters", rule(.delete, on: .prefix("文件夹/")),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["$R/文件夹/*"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:DeleteObject","name/cos:DeleteMultipleObjects"],"resource":["$C/文件夹/*"]}"#
      ])),
    PolicyIntent(
      "a key that JSON escapes", rule(.delete, on: .key("a \"b\"\\c")),
      ram: .statements([#"{"Effect":"Allow","Action":["oss:DeleteObject"],"Resource":["$R/a \"b\"\\c"]}"#]),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:DeleteObject","name/cos:DeleteMultipleObjects"],"resource":["$C/a \"b\"\\c"]}"#
      ])),
    PolicyIntent(
      "a prefix with a slash in front, which Tencent's SDK for Python turns into no resource at all",
      rule(.delete, on: .prefix("/uploads/")),
      ram: .error(.unsupportedKey),
      cam: .statements([
        #"{"effect":"allow","action":["name/cos:DeleteObject","name/cos:DeleteMultipleObjects"],"resource":["$C//uploads/*"]}"#
      ])),
  ]
}
