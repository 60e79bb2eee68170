// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth

/// A request by a client that may do everything below `uploads/alice/` of one bucket and is denied elsewhere.
struct PolicyRequest {
  static let alice = "uploads/alice/cat.jpg"
  static let bob = "uploads/bob/dog.jpg"
  static let body = Array("0123456789".utf8)
  static let bodyMD5 = "781e5e245d69b566979b86e28d23f2c7"

  let name: String
  let method: HTTPRequest.Method
  let key: String?
  /// The services that allow the request.
  let allowed: Set<LocalCloud.Provider>
  var bucket: String?
  var query: KeyValuePairs<String, String?> = [:]
  var headers: [String: String] = [:]
  var body: [UInt8]?
  /// The key of the object that is copied, in the account's bucket or the other one.
  var copied: String?
  /// The object key of the account's multipart upload to which the request refers.
  var upload: String?

  init(
    _ name: String, _ method: HTTPRequest.Method, _ key: String? = nil, in bucket: String? = CloudTestCase.bucket,
    allow allowed: Set<LocalCloud.Provider>, query: KeyValuePairs<String, String?> = [:],
    headers: [String: String] = [:],
    body: [UInt8]? = nil, copying copied: String? = nil, upload: String? = nil
  ) {
    self.name = name
    self.method = method
    self.key = key
    self.bucket = bucket
    self.allowed = allowed
    self.query = query
    self.headers = headers
    self.body = body
    self.copied = copied
    self.upload = upload
  }

  private static let all = Set(LocalCloud.Provider.allCases)
  private static let none: Set<LocalCloud.Provider> = []

  private static func deletion(_ keys: String...) -> [UInt8] {
    Array("<Delete>\(keys.map { "<Object><Key>\($0)</Key></Object>" }.joined())</Delete>".utf8)
  }

  /// Requests about single objects.
  static let objects: [PolicyRequest] = [
    PolicyRequest("upload inside", .put, "uploads/alice/new", allow: all, body: body),
    PolicyRequest("upload inside a folder", .put, "uploads/alice/2026/11/new", allow: all, body: body),
    PolicyRequest("upload with dots in the key", .put, "uploads/alice/..x/new", allow: all, body: body),
    PolicyRequest("upload elsewhere", .put, "uploads/bob/new", allow: none, body: body),
    PolicyRequest("overwrite elsewhere", .put, bob, allow: none, body: body),
    PolicyRequest("upload at the top", .put, "new", allow: none, body: body),
    PolicyRequest("upload to the folder's own name", .put, "uploads/alice", allow: none, body: body),
    PolicyRequest("upload to a name that starts like the folder", .put, "uploads/alice2/new", allow: none, body: body),
    PolicyRequest("upload with another case", .put, "Uploads/alice/new", allow: none, body: body),
    PolicyRequest("upload with a leading slash", .put, "/uploads/alice/new", allow: none, body: body),
    PolicyRequest("upload in another bucket", .put, alice, in: PolicyTestCase.otherBucket, allow: none, body: body),
    PolicyRequest(
      "upload under a name that looks like a resource", .put, "x:photos-1250000000/uploads/alice/new",
      in: PolicyTestCase.otherBucket, allow: none, body: body),
    PolicyRequest("get inside", .get, alice, allow: all),
    PolicyRequest("get elsewhere", .get, bob, allow: none),
    PolicyRequest("get a missing object elsewhere", .get, "uploads/bob/missing", allow: none),
    PolicyRequest("get from another bucket", .get, alice, in: PolicyTestCase.otherBucket, allow: none),
    PolicyRequest("get a public object", .get, "uploads/bob/public", allow: none),
    PolicyRequest("head inside", .head, alice, allow: all),
    PolicyRequest("head elsewhere", .head, bob, allow: none),
    PolicyRequest("access inside", .get, alice, allow: none, query: ["acl": nil]),
    PolicyRequest("copy inside", .put, "uploads/alice/copy", allow: all, copying: alice),
    PolicyRequest("copy from elsewhere", .put, "uploads/alice/stolen", allow: none, copying: bob),
    PolicyRequest("copy to elsewhere", .put, "uploads/bob/copy", allow: none, copying: alice),
    PolicyRequest("copy from elsewhere to itself", .put, bob, allow: none, copying: bob),
    PolicyRequest("delete inside", .delete, "uploads/alice/new", allow: all),
    PolicyRequest("delete elsewhere", .delete, bob, allow: none),
    PolicyRequest(
      "delete many inside", .post, allow: all, query: ["delete": nil],
      body: deletion("uploads/alice/copy", "uploads/alice/2026/11/new")),
    PolicyRequest("delete many, one elsewhere", .post, allow: none, query: ["delete": nil], body: deletion(alice, bob)),
    PolicyRequest(
      "delete many in another bucket", .post, in: PolicyTestCase.otherBucket, allow: none, query: ["delete": nil],
      body: deletion(alice)),
  ]

  /// Requests about listings, multipart uploads and buckets.
  static let others: [PolicyRequest] = [
    PolicyRequest("list inside", .get, allow: all, query: ["prefix": "uploads/alice/"]),
    PolicyRequest("list deeper", .get, allow: all, query: ["prefix": "uploads/alice/2026/", "delimiter": "/"]),
    PolicyRequest("list in the second form", .get, allow: all, query: ["list-type": "2", "prefix": "uploads/alice/"]),
    PolicyRequest("list everything", .get, allow: none),
    PolicyRequest("list with an empty prefix", .get, allow: none, query: ["prefix": ""]),
    PolicyRequest("list above", .get, allow: none, query: ["prefix": "uploads/"]),
    PolicyRequest("list what starts like the folder", .get, allow: none, query: ["prefix": "uploads/alice"]),
    PolicyRequest("list elsewhere", .get, allow: none, query: ["prefix": "uploads/bob/"]),
    PolicyRequest(
      "list elsewhere in the second form", .get, allow: none, query: ["list-type": "2", "prefix": "uploads/"]),
    PolicyRequest(
      "list another bucket", .get, in: PolicyTestCase.otherBucket, allow: none, query: ["prefix": "uploads/alice/"]),
    // COS signs parameter names in lower case and therefore matches them so; in OSS this lists the whole bucket.
    PolicyRequest("list inside in capitals", .get, allow: [.cos], query: ["PREFIX": "uploads/alice/"]),
    PolicyRequest("list elsewhere in capitals", .get, allow: none, query: ["PREFIX": "uploads/bob/"]),
    PolicyRequest(
      "list everything and then inside", .get, allow: [.oss, .s3], query: ["Prefix": "", "prefix": "uploads/alice/"]),
    PolicyRequest("list uploads inside", .get, allow: [.cos], query: ["uploads": nil, "prefix": "uploads/alice/"]),
    PolicyRequest("list all uploads", .get, allow: none, query: ["uploads": nil]),
    PolicyRequest("initiate inside", .post, "uploads/alice/big", allow: all, query: ["uploads": nil]),
    PolicyRequest("initiate elsewhere", .post, "uploads/bob/big", allow: none, query: ["uploads": nil]),
    PolicyRequest("a part inside", .put, alice, allow: all, query: ["partNumber": "1"], body: body, upload: alice),
    PolicyRequest("a part elsewhere", .put, bob, allow: none, query: ["partNumber": "1"], body: body, upload: bob),
    PolicyRequest(
      "a part copied inside", .put, alice, allow: all, query: ["partNumber": "2"], copying: alice, upload: alice),
    PolicyRequest(
      "a part copied from elsewhere", .put, alice, allow: none, query: ["partNumber": "3"], copying: bob, upload: alice),
    PolicyRequest("parts inside", .get, alice, allow: all, upload: alice),
    PolicyRequest("parts elsewhere", .get, bob, allow: none, upload: bob),
    PolicyRequest(
      "complete inside", .post, alice, allow: all,
      body: Array(
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\(bodyMD5)</ETag></Part></CompleteMultipartUpload>"
          .utf8), upload: alice),
    PolicyRequest("complete elsewhere", .post, bob, allow: none, body: body, upload: bob),
    PolicyRequest("abort elsewhere", .delete, bob, allow: none, upload: bob),
    PolicyRequest("abort inside", .delete, "uploads/alice/other", allow: all, upload: "uploads/alice/other"),
    PolicyRequest("list buckets", .get, in: nil, allow: none),
    PolicyRequest("make a bucket", .put, in: "another-1250000000", allow: none),
    PolicyRequest("delete a bucket", .delete, allow: none),
    PolicyRequest("ask for a bucket", .head, allow: none),
    PolicyRequest("who may read a bucket", .get, allow: none, query: ["acl": nil]),
    PolicyRequest("where a bucket is", .get, allow: none, query: ["location": nil]),
  ]
}
