// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A simulated storage service: the names, limits and errors in which it differs from other services, and its behavior.
///
/// Names of headers are stored without the service's prefix, unless the documentation of a property says otherwise. The
/// type is a class because requests refer to it often, and a copy would retain a hundred strings and tables.
final class SimulatedService: Sendable {
  let provider: LocalCloud.Provider
  let endpoint: LocalCloud.Endpoint
  let description: ServiceDescription
  let operations: OperationTable
  let documents: [BucketDocument]
  let headerRules: HeaderRules
  let headers: Headers
  let signatures: Signatures
  let objects: Objects
  let buckets: Buckets
  let listing: Listing
  let policies: Policies
  let keyFormat: KeyFormat
  let errors: Errors
  let behavior: any ServiceBehavior
  /// The full names of frequent headers, by their names without the prefix.
  private let headerNames: [String: HTTPField.Name]

  init(
    provider: LocalCloud.Provider, endpoint: LocalCloud.Endpoint, description: ServiceDescription,
    operations: OperationTable, documents: [BucketDocument], headerRules: HeaderRules, headers: Headers,
    signatures: Signatures, objects: Objects, buckets: Buckets, listing: Listing, policies: Policies,
    keyFormat: KeyFormat, errors: Errors, behavior: any ServiceBehavior
  ) {
    (self.provider, self.endpoint, self.description) = (provider, endpoint, description)
    (self.operations, self.documents, self.headerRules) = (operations, documents, headerRules)
    (self.headers, self.signatures, self.objects, self.buckets) = (headers, signatures, objects, buckets)
    (self.listing, self.policies, self.keyFormat, self.errors) = (listing, policies, keyFormat, errors)
    self.behavior = behavior
    let ofResponses = headers.requestID + [headers.hostID, objects.crc64Header].compactMap(\.self)
    let suffixes = headerRules.supportedEverywhere.union(headerRules.operations.keys).union(ofResponses).union([
      "object-type", "storage-class", "version-id", "expected-bucket-owner", "source-expected-bucket-owner",
    ])
    headerNames = suffixes.reduce(into: [:]) { $0[$1] = HTTPField.Name(description.header($1)) }
  }

  func with(_ objects: Objects, _ behavior: any ServiceBehavior) -> SimulatedService {
    SimulatedService(
      provider: provider, endpoint: endpoint, description: description, operations: operations, documents: documents,
      headerRules: headerRules, headers: headers, signatures: signatures, objects: objects, buckets: buckets,
      listing: listing, policies: policies, keyFormat: keyFormat, errors: errors, behavior: behavior)
  }

  /// Returns the full name of a header, given its name without the prefix, or `nil` if that is no valid field name.
  func headerName(_ suffix: String) -> HTTPField.Name? { headerNames[suffix] ?? HTTPField.Name(header(suffix)) }

  struct Headers: Sendable {
    var serverName: String
    let requestID: [String]
    /// The name of the header that contains a second ID, derived from the request ID, or `nil`.
    var hostID: String?
    /// The names of the response headers that web pages of other origins can read.
    let exposed: [String]
    let objectAccess: String
    /// The full name of the form field with the object's access control, in lowercase.
    let formAccessField: String
    /// The names of the encryption headers: for the method, its key, and the encryption of data or the context.
    let encryption: [String]
    /// The name of the encryption header that is ignored with every method but `KMS`, or `nil`.
    var kmsOnlyEncryption: String?
    /// The supported encryption methods, each with the names of the other headers that it allows.
    var encryptions: [String: Set<String>]
    /// The responses that contain an object's storage class.
    let storageClass: StorageClassHeader
    /// The full names of the headers that a partial or 304 (Not Modified) response omits.
    var wholeObjectHeaders: [HTTPField.Name] = [.contentMD5]

    enum StorageClassHeader: Sendable { case always, unlessStandard }

    /// The headers with the keys that are used if a request names none, by encryption method.
    var defaultKeys: [String: ObjectDescription.Header] = [:]
  }

  struct Signatures: Sendable {
    let defaultKind: LocalCloud.SignatureKind
    /// The newer scheme, if the service has two.
    var versioned: Versioned?

    /// A scheme that requests name: by the start of the `Authorization` header, or by a parameter or form field.
    struct Versioned: Sendable {
      let kind: LocalCloud.SignatureKind
      let authorization: String
      let parameter: ByteExactString
    }
  }

  struct Objects: Sendable {
    /// The media type of an object whose upload specified no media type.
    var contentType = "application/octet-stream"
    /// The storage classes of the service, the default class first.
    var storageClasses: [StorageClass]
    /// The range of allowed bandwidth limits, in bits per second.
    let trafficLimits: ClosedRange<Int64>
    /// Whether a copy source starts with a host that contains the bucket name, instead of the bucket name.
    var copySourceHasHost = false
    /// Whether a range that exceeds the object is ignored unless the request asks for the standard behavior.
    var ignoresExceedingRanges = false

    /// Whether entity tags have uppercase digits, and the tag of a multipart object is the digest of the digits of its
    /// parts, instead of the bytes for which the digits stand (as the vendors' test suites show).
    var hasUppercaseTags = false
    /// Whether the response to a write has the version of an object without an ID in a bucket with versions.
    var reportsNullVersions = true
    /// Whether responses and listings tell normal objects from those that were uploaded in parts.
    var reportsObjectType = false
    /// The name of the header with the CRC-64/ECMA of an object or part, or `nil` if the service has none.
    var crc64Header: String?
    var reportsMD5 = false
    /// The name of the header and parameter by which a read asks for checksums, or `nil` if it need not ask.
    var checksumMode: String?
    /// Whether the checksums of a request body are verified even if the operation ignores the body.
    var checksIgnoredBodies = false
    /// The content encoding that frames a request body and is not stored, or `nil`.
    var framingEncoding: String?
    var minimumPartByteCount: Int64 = 0
    /// Whether a completion with a gap between the numbers of its parts is rejected.
    var needsConsecutiveParts = false
    /// Whether a completion that is repeated with the same parts has the response of the first one.
    var repeatsCompletion = false
    /// Whether a copy of an object that was uploaded in parts has none.
    var joinsPartsOfCopies = false
    /// Whether a copy with new metadata keeps a missing media type, and the metadata of client-side encryption.
    var keepsTypeOfCopies = false
    var refusesLeadingBackslash = false
    var charactersRefusedInTags = ""
    /// The media types of objects that are compressed for a reader that accepts gzip.
    var compressedTypes: Set<String> = []
  }

  struct Buckets: Sendable {
    var allowsDots = false
    /// The error code for creating a bucket that the caller already owns, or `nil` if creating it is no error.
    var alreadyOwnedCode: String?
    /// The prefix of a region's name in documents.
    var locationPrefix = ""

    /// The region whose buckets have an empty location and can be created again; only a service with one compares the
    /// location constraint of a new bucket with its region.
    var firstRegion: String?
    /// The start of the URIs of groups in access control documents, or `nil` if the documents name the access.
    var groupURIPrefix: String?
    /// Whether access controls can give permissions to single accounts.
    var acceptsGrants = false
    /// The access controls that a header can name.
    var access: [AccessControl] = [.private, .publicRead, .publicReadWrite]
    /// The numbers by which policies name the account that owns the buckets of the configuration.
    var accounts = [SimulatedService.account]
    /// Whether a response about an object that has its bucket's access control has a header that says so.
    var reportsInheritedAccess = false
    /// Whether an object without access control has that of its bucket; otherwise, it is private.
    var objectsInheritAccess = true
    var publicCanBeListed = false
    var deletesUploads = false
    var hashesOwnerIDs = false
    /// Whether a deletion of a bucket's tags can name the tags to delete.
    var deletesSingleTags = false
  }

  struct Listing: Sendable {
    let defaultPageSize: Int
    var pageSizes = 0...1000
    /// The query parameters and the XML element for the pages of the bucket list.
    var bucketMarker: ByteExactString = "marker"
    var bucketLimit: ByteExactString = "max-keys"
    var nextBucketElement = "NextMarker"
    let bucketPageLimit: Int
    var namespace: String?
    /// Whether responses omit elements for query parameters that the request does not contain.
    var omitsEmptyElements = false
    /// Whether `encoding-type=url` encodes names as forms do, with `+` for a space and without encoding slashes.
    var encodesNamesAsForms = false
    /// Whether the list of uploads contains who initiated and who owns each.
    var listsInitiators = false
    /// The XML elements that show metadata of an upload in the list of its parts, each with the name of its metadata.
    var uploadElements: KeyValuePairs<String, String> = [:]
  }

  /// The policies of temporary credentials and of buckets.
  struct Policies: Sendable {
    let language: PolicyLanguage
    let formUploadAction: String
    /// The action that allows reading the source object of a copy.
    let copySourceAction: String
    let permissions: [Operation: Operation.Permission]
    var bucketSuffix = ""
    /// Whether a request that names a version needs another action: `GetObjectVersion` instead of `GetObject`.
    var namesVersions = true

    /// Creates the policies with the action that allows each operation, by the target in whose name it must be allowed.
    init(
      _ language: PolicyLanguage, service: String, formUpload: String, copySource: String, bucketSuffix: String = "",
      namesVersions: Bool = true,
      _ actions: KeyValuePairs<Operation.Permission.Target, KeyValuePairs<String, [Operation]>>
    ) {
      self.language = language
      (formUploadAction, copySourceAction) = ("\(service):\(formUpload)", "\(service):\(copySource)")
      (self.bucketSuffix, self.namesVersions) = (bucketSuffix, namesVersions)
      var permissions: [Operation: Operation.Permission] = [:]
      for (target, operationsByAction) in actions {
        for (action, operations) in operationsByAction {
          let permission = Operation.Permission(action: "\(service):\(action)", target: target)
          for operation in operations { permissions[operation] = permission }
        }
      }
      self.permissions = permissions
    }

    func action(_ name: String) -> String { "\(formUploadAction.bytes(before: ":")):\(name)" }

    /// Returns the action of a request that names a version of an object.
    func action(_ action: String, ofVersion version: String?) -> String {
      guard version != nil, namesVersions, let end = action.utf8.firstRange(of: "Object".utf8)?.upperBound else {
        return action
      }
      return "\(action[..<end])Version\(action[end...])"
    }
  }

  /// The format of a temporary credential, whose session token has all special characters, which clients must encode.
  struct KeyFormat: Sendable {
    let idPrefix: String
    let idLength: Int
    var hasUppercaseID = false
    let secretLength: Int
    var tokenPrefix = ""
    var tokenLetters = 0
    let tokenByteCount: Int

    func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey {
      let idCharacters = RandomText.alphanumerics(idLength)
      let (letters, base64) = (RandomText.alphanumerics(tokenLetters), RandomText.base64(byteCount: tokenByteCount))
      return AccessKey(
        id: idPrefix + (hasUppercaseID ? idCharacters.asciiUppercased : idCharacters),
        secret: RandomText.alphanumerics(secretLength), sessionToken: "\(tokenPrefix)\(letters)/+\(base64)==",
        start: start, expiration: end)
    }
  }

  struct Errors: Sendable {
    var invalidKey = ErrorResponse(
      .badRequest, "InvalidObjectName", "The key has more than 1,023 bytes in UTF-8, or contains a NUL.")

    let wrongDigest: ErrorResponse
    /// The error response for a copy whose source object does not meet the conditions of the request.
    let unchangedCopySource: ErrorResponse
    /// The error response for a copy of an object to itself without any change, or `nil` if such a copy is allowed.
    var unchangingCopy: ErrorResponse?
    /// The error responses for unsigned requests, and for requests that no policy or access control allows.
    let anonymous, policy: ErrorResponse
    var malformedPolicy = "MalformedPolicy"
    /// Whether the responses `anonymous` and `policy` have an element with the server's time.
    var haveServerTime = false
    /// The error response for a preflight request without an origin, or `nil` for that of a forbidden origin.
    var missingOrigin: ErrorResponse?
  }
}

struct StorageClass: Sendable {
  let name: String
  /// The name with which objects are stored, which another interface of the service shows.
  let storedName: String
  /// Whether an object with this storage class must be restored before it can be read.
  let isArchive: Bool

  init(name: String, storedAs storedName: String? = nil, isArchive: Bool = false) {
    (self.name, self.storedName, self.isArchive) = (name, storedName ?? name, isArchive)
  }
}
