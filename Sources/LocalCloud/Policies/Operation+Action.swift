extension Operation {
  /// What a policy has to allow for it.
  struct Need: Sendable {
    /// The name of the action.
    let action: String

    /// What the action is done to.
    let target: Target

    /// What a policy names.
    enum Target: Sendable {
      case service, bucket, object
      /// The prefix of a list: COS looks for it in the name of the resource, OSS in a condition.
      case list
      /// Each of the objects that the body names.
      case objectsOfBody
    }

    init(_ action: String, on target: Target) {
      self.action = action
      self.target = target
    }
  }

  /// What a policy has to allow; nothing if the service has no such operation, so that no policy allows it.
  func need(of provider: LocalCloud.Provider) -> Need? { provider == .oss ? ossNeed : cosNeed }

  private var ossNeed: Need {
    switch self {
    case .listBuckets: Need("oss:ListBuckets", on: .service)
    case .createBucket: Need("oss:PutBucket", on: .bucket)
    case .deleteBucket: Need("oss:DeleteBucket", on: .bucket)
    case .headBucket, .bucketInfo: Need("oss:GetBucketInfo", on: .bucket)
    case .readBucketAccess: Need("oss:GetBucketAcl", on: .bucket)
    case .changeBucketAccess: Need("oss:PutBucketAcl", on: .bucket)
    case .bucketLocation: Need("oss:GetBucketLocation", on: .bucket)
    case .listObjects, .listObjectsV2: Need("oss:ListObjects", on: .bucket)
    case .listUploads: Need("oss:ListMultipartUploads", on: .bucket)
    case .deleteObjects: Need("oss:DeleteObject", on: .objectsOfBody)
    case .putObject, .copyObject, .initiateUpload, .uploadPart, .copyPart, .completeUpload:
      Need("oss:PutObject", on: .object)
    case .getObject, .headObject, .objectMeta: Need("oss:GetObject", on: .object)
    case .deleteObject: Need("oss:DeleteObject", on: .object)
    case .readObjectAccess: Need("oss:GetObjectAcl", on: .object)
    case .changeObjectAccess: Need("oss:PutObjectAcl", on: .object)
    case .abortUpload: Need("oss:AbortMultipartUpload", on: .object)
    case .listParts: Need("oss:ListParts", on: .object)
    }
  }

  private var cosNeed: Need? {
    switch self {
    case .listBuckets: Need("cos:GetService", on: .service)
    case .createBucket: Need("cos:PutBucket", on: .bucket)
    case .deleteBucket: Need("cos:DeleteBucket", on: .bucket)
    case .headBucket: Need("cos:HeadBucket", on: .bucket)
    case .readBucketAccess: Need("cos:GetBucketACL", on: .bucket)
    case .changeBucketAccess: Need("cos:PutBucketACL", on: .bucket)
    case .bucketLocation: Need("cos:GetBucketLocation", on: .bucket)
    case .bucketInfo: nil
    case .listObjects, .listObjectsV2: Need("cos:GetBucket", on: .list)
    case .listUploads: Need("cos:ListMultipartUploads", on: .list)
    case .deleteObjects: Need("cos:DeleteMultipleObjects", on: .objectsOfBody)
    case .putObject, .copyObject: Need("cos:PutObject", on: .object)
    case .initiateUpload: Need("cos:InitiateMultipartUpload", on: .object)
    case .uploadPart, .copyPart: Need("cos:UploadPart", on: .object)
    case .completeUpload: Need("cos:CompleteMultipartUpload", on: .object)
    case .abortUpload: Need("cos:AbortMultipartUpload", on: .object)
    case .listParts: Need("cos:ListParts", on: .object)
    case .getObject: Need("cos:GetObject", on: .object)
    case .headObject, .objectMeta: Need("cos:HeadObject", on: .object)
    case .deleteObject: Need("cos:DeleteObject", on: .object)
    case .readObjectAccess: Need("cos:GetObjectACL", on: .object)
    case .changeObjectAccess: Need("cos:PutObjectACL", on: .object)
    }
  }

  /// Whether it reads another object, which a header names.
  var hasCopySource: Bool {
    switch self {
    case .copyObject, .copyPart: true
    default: false
    }
  }
}
