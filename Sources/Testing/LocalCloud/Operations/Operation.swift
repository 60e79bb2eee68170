// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// An operation of a storage service, identified by the request's method, target and sub-resource.
enum Operation: Sendable, Hashable, CaseIterable {
  case listBuckets, describeRegions
  case createBucket, deleteBucket, headBucket, bucketStat
  case readBucketAccess, changeBucketAccess, bucketLocation, bucketInfo
  case readDocument, changeDocument, deleteDocument
  case listObjects, listObjectsV2, listVersions, listUploads, deleteObjects
  case putObject, copyObject, getObject, headObject, objectMeta, deleteObject
  case appendObject, putSymlink, getSymlink
  case readObjectAccess, changeObjectAccess
  case readTags, changeTags, deleteTags, objectAttributes
  case initiateUpload, uploadPart, copyPart, completeUpload, abortUpload, listParts

  /// Creates the operation that a request asks for.
  ///
  /// The operation must support each query parameter of the request, signed or not, that any service knows. Otherwise,
  /// `DELETE /?redundancyTransition` would delete the bucket. As in the real services, unknown parameters have no
  /// effect, except for one without a value in a write, which is rejected: it could be a newer sub-resource.
  init(
    _ method: HTTPRequest.Method, _ target: RequestTarget, of service: SimulatedService, isCopy: Bool
  ) throws(ErrorResponse) {
    guard OperationRoute.methods.contains(method) else { throw .methodNotAllowed(method.rawValue) }
    let table = service.operations
    let requestSpellings = try Self.knownNames(of: target, for: method, in: table)
    let names = Set(requestSpellings.keys)
    let level: OperationRoute.Level = target.bucket == nil ? .service : target.key == nil ? .bucket : .object
    let entries = (table.entries[method]?[level] ?? []).filter { $0.route.isCopy == nil || $0.route.isCopy == isCopy }
    // Of the routes that match, the one with the most selectors is the most specific.
    let entry = entries.filter { $0.route.selectors.isSubset(of: names) }.max {
      $0.route.selectors.count < $1.route.selectors.count
    }
    let route = entry?.route
    if let name = names.subtracting(entry?.parameters ?? []).min() {
      if let selector = route?.selectors.first, entries.contains(where: { $0.route.selectors.contains(name) }) {
        throw .invalidArgument(
          "The parameters \"\(selector)\" and \"\(name)\" select two operations; a request can have only one.")
      }
      throw .notImplemented(
        "The parameter \"\(requestSpellings[name] ?? name)\" is not supported by this server for \(method.rawValue) of "
          + "\(level.rawValue).")
    }
    guard let route else { throw .methodNotAllowed(method.rawValue) }
    if names.contains("list-type"), target["list-type"] != "2" { throw .invalidArgument("The list-type must be 2.") }
    if target["versionId"] == "" { throw .invalidArgument("The parameter \"versionId\" is empty.") }
    self = route.operation
  }

  /// Returns the known query parameters of a request as it spells them, by their spelling in the routes.
  private static func knownNames(
    of target: RequestTarget, for method: HTTPRequest.Method, in table: OperationTable
  ) throws(ErrorResponse) -> [String: String] {
    var names: [String: String] = [:]
    for parameter in target.parameters {
      switch table.names.meaning(of: parameter.name.string) {
      case .signature: continue
      case .misspelled:
        throw .notImplemented("The parameter \"\(parameter.name)\" is unknown: the service spells names differently.")
      case .unknown:
        guard method == .get || method == .head || parameter.value?.isEmpty == false else {
          throw .notImplemented(
            "The parameter \"\(parameter.name)\" has no value, like a sub-resource, but this server supports no "
              + "sub-resource of that name.")
        }
      case .known:
        let name = table.spelling(of: parameter.name.string)
        let isFirst = names.updateValue(parameter.name.string, forKey: name) == nil
        guard isFirst || ParameterNames.isListingParameter(name) else {
          throw .invalidArgument("The parameter \"\(parameter.name)\" occurs more than once.")
        }
      }
    }
    return names
  }

  /// The permission with which an access control lets others than the owner perform the operation, or `nil`.
  var requiredGrant: Grant.Permission? {
    switch self {
    case .headBucket, .listObjects, .listObjectsV2, .listVersions, .listUploads, .getObject, .headObject, .objectMeta:
      .read
    case .putObject, .copyObject, .appendObject, .deleteObject, .initiateUpload, .uploadPart, .copyPart,
      .completeUpload:
      .write
    case .readBucketAccess, .readObjectAccess: .readAccess
    case .changeBucketAccess, .changeObjectAccess: .writeAccess
    default: nil
    }
  }

  /// Whether an unsigned request can perform the operation if the object is public.
  var isPublicRead: Bool { [.getObject, .headObject, .objectMeta].contains(self) }

  /// Whether the operation reads or changes an existing object, about which in S3 its owner decides.
  var concernsObject: Bool {
    isPublicRead
      || [.readObjectAccess, .changeObjectAccess, .readTags, .changeTags, .deleteTags, .objectAttributes].contains(self)
  }

  /// Whether an unsigned request can perform the operation if the bucket is public, and the service allows that.
  var isPublicListing: Bool { [.headBucket, .listObjects, .listObjectsV2, .listUploads].contains(self) }

  /// Whether the operation only reads; one that is not listed counts as a write, for which the rules are stricter.
  var isRead: Bool {
    [
      .listBuckets, .describeRegions, .headBucket, .bucketStat, .readBucketAccess, .bucketLocation, .bucketInfo,
      .readDocument, .listObjects, .listObjectsV2, .listVersions, .listUploads, .listParts, .getObject, .headObject,
      .objectMeta, .getSymlink, .readObjectAccess, .readTags, .objectAttributes,
    ].contains(self)
  }

  var readsBody: Bool {
    [
      .createBucket, .changeDocument, .deleteObjects, .putObject, .appendObject, .uploadPart, .completeUpload,
      .changeTags, .changeBucketAccess, .changeObjectAccess,
    ].contains(self)
  }

  var continuesUpload: Bool { [.uploadPart, .copyPart, .completeUpload].contains(self) }
  var isOfDocument: Bool { [.readDocument, .changeDocument, .deleteDocument].contains(self) }
  var hasCopySource: Bool { [.copyObject, .copyPart].contains(self) }
  var writesObject: Bool { [.putObject, .copyObject, .completeUpload, .appendObject, .putSymlink].contains(self) }

  /// Whether the operation transfers or describes an object's bytes, so that it accepts a bandwidth limit.
  var isTransfer: Bool {
    [.putObject, .appendObject, .copyObject, .uploadPart, .copyPart, .getObject, .headObject].contains(self)
  }

  /// A permission that a policy must grant for an operation.
  struct Permission: Sendable {
    /// The action name in the policy language, such as `oss:GetObject`.
    let action: String
    let target: Target

    enum Target: Sendable {
      case service, bucket, object
      /// The prefix that a list request specifies, for services whose resource names contain it.
      case list
      case objectsOfBody
    }
  }
}
