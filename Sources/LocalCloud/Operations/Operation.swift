internal import HTTPTypes
internal import StorageAuth

/// What a request asks for, by its method, its target and the one sub-resource that it names.
enum Operation: Sendable {
  case listBuckets
  case createBucket, deleteBucket, headBucket
  case readBucketAccess, changeBucketAccess, bucketLocation, bucketInfo
  case listObjects, listObjectsV2, listUploads, deleteObjects
  case putObject, copyObject, getObject, headObject, objectMeta, deleteObject
  case readObjectAccess, changeObjectAccess
  case initiateUpload, uploadPart, copyPart, completeUpload, abortUpload, listParts

  /// The sub-resources that make another operation of a request and that this server does not have.
  ///
  /// A request that names one, in upper or lower case, is refused: without that, a change of an object's tags would
  /// overwrite the object.
  private static let unsupported: Set<String> = [
    "accelerate", "accessmonitor", "accesspoint", "accesspointpolicy", "append", "asyncfetch", "callback",
    "callback-var", "cleanrestoredobject", "cname", "comp", "cors", "domain", "domaincertificate", "encryption",
    "httpsconfig", "img", "intelligenttiering", "inventory", "legalhold", "lifecycle", "link", "live", "logging",
    "metaquery", "object-lock", "objectinfo", "objectworm", "origin", "overwriteconfig", "policy", "policystatus",
    "position", "processconfiguration", "publicaccessblock", "qos", "qosinfo", "referer", "regionlist", "replication",
    "replicationlocation", "replicationprogress", "requestpayment", "requesterqosinfo", "resourcegroup", "restore",
    "retention", "rtc", "seal", "select", "sequential", "stat", "status", "style", "stylename", "symlink", "tagging",
    "transferacceleration", "udf", "versioning", "versions", "vod", "website", "worm", "wormextend", "wormid",
    "x-oss-async-process", "x-oss-process", "x-oss-rename", "ci-process", "imagemogr2", "imageinfo",
  ]

  /// The operation of a request.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - target: The target, as it was signed.
  ///   - isCopy: Whether the request names an object to copy from.
  /// - Throws: `NotImplemented` for a sub-resource that this server does not have, `MethodNotAllowed` for a method that
  ///   the target does not take.
  init(_ method: HTTPRequest.Method, _ target: RequestTarget, isCopy: Bool) throws(ServiceError) {
    if let name = target.parameters.first(where: { Self.unsupported.contains($0.name.string.asciiLowercased) })?.name {
      throw .notImplemented("The sub-resource \"\(name)\" is not part of this server.")
    }
    if let version = target["versionId"], version != "null", !version.isEmpty {
      throw .notImplemented("Buckets of this server keep no versions.")
    }
    let operation: Operation? =
      if target.bucket == nil {
        method == .get ? .listBuckets : nil
      } else if target.key == nil {
        Self.onBucket(method, target)
      } else {
        Self.onObject(method, target, isCopy: isCopy)
      }
    guard let operation else { throw .methodNotAllowed(method.rawValue) }
    self = operation
  }

  private static func onBucket(_ method: HTTPRequest.Method, _ target: RequestTarget) -> Operation? {
    switch method {
    case .get where target.contains("acl"): .readBucketAccess
    case .get where target.contains("location"): .bucketLocation
    case .get where target.contains("bucketInfo"): .bucketInfo
    case .get where target.contains("uploads"): .listUploads
    case .get: target["list-type"] == "2" ? .listObjectsV2 : .listObjects
    case .head: .headBucket
    case .put where target.contains("acl"): .changeBucketAccess
    case .put: .createBucket
    case .delete: .deleteBucket
    case .post where target.contains("delete"): .deleteObjects
    default: nil
    }
  }

  private static func onObject(
    _ method: HTTPRequest.Method, _ target: RequestTarget, isCopy: Bool
  ) -> Operation? {
    let isPart = target.contains("uploadId")
    return switch method {
    case .get where target.contains("acl"): .readObjectAccess
    case .get where isPart: .listParts
    case .get: .getObject
    case .head: target.contains("objectMeta") ? .objectMeta : .headObject
    case .put where target.contains("acl"): .changeObjectAccess
    case .put where isPart: isCopy ? .copyPart : .uploadPart
    case .put: isCopy ? .copyObject : .putObject
    case .delete: isPart ? .abortUpload : .deleteObject
    case .post where target.contains("uploads"): .initiateUpload
    case .post where isPart: .completeUpload
    default: nil
    }
  }

  /// Whether a bucket that is open for reading answers this to anybody.
  var isPublicRead: Bool {
    switch self {
    case .getObject, .headObject, .objectMeta: true
    default: false
    }
  }

  /// Whether the bytes of the body are the bytes of an object or a part; other bodies are documents of a bounded size.
  var storesBody: Bool {
    switch self {
    case .putObject, .uploadPart: true
    default: false
    }
  }

  /// Whether an object is there anew after it.
  var writesObject: Bool {
    switch self {
    case .putObject, .copyObject, .completeUpload: true
    default: false
    }
  }
}
