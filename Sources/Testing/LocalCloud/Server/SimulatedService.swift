// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// A simulated storage service: the names, limits and errors in which it differs from other services, and its behavior.
///
/// Names of headers are stored without the service's prefix, unless the documentation of a property says otherwise.
struct SimulatedService: Sendable {
  /// The storage service to which buckets, keys and counters belong.
  let provider: LocalCloud.Provider

  /// The endpoint whose statistics count the requests to the service.
  let endpoint: LocalCloud.Endpoint

  /// The names, hosts and limits that the service's provider describes.
  let description: ServiceDescription

  /// The operations of the service and their query parameters.
  let operations: OperationTable

  /// The service-specific headers that the server supports.
  let headerRules: HeaderRules

  let headers: Headers
  let signatures: Signatures
  let objects: Objects
  let buckets: Buckets
  let listing: Listing
  let policies: Policies
  let keys: KeyFormat
  let errors: Errors
  let behavior: any ServiceBehavior

  /// The names and values of headers.
  struct Headers: Sendable {
    /// The value of the `Server` header in responses.
    let serverName: String

    /// The names of the headers that contain the request ID.
    let requestID: [String]

    /// The name of the header that contains a second ID, derived from the request ID, or `nil`.
    var hostID: String?

    /// The names of the response headers that web pages of other origins can read.
    let exposed: [String]

    /// The name of the header with an object's access control.
    let objectAccess: String

    /// The full name of the form field with the object's access control, in lowercase.
    let formAccessField: String

    /// The names of the encryption headers, the header for the method first.
    let encryption: [String]

    /// The supported encryption methods, each with the names of the other headers that it allows.
    let encryptions: [String: Set<String>]

    /// The responses that contain an object's storage class.
    let storageClass: StorageClassHeader

    /// The full names of the headers that a partial or 304 (Not Modified) response omits.
    var ofWholeObjects: [HTTPField.Name] = [.contentMD5]

    /// The responses that contain an object's storage class in a header.
    enum StorageClassHeader: Sendable {
      case always, ifSpecified, unlessStandard
    }
  }

  /// The signature schemes of the service.
  struct Signatures: Sendable {
    let usual: LocalCloud.SignatureKind

    /// The newer scheme, if the service has two.
    var versioned: Versioned?

    /// A scheme that requests name: by the start of the `Authorization` header, or by a parameter or form field.
    struct Versioned: Sendable {
      let kind: LocalCloud.SignatureKind
      let authorization: String
      let parameter: ByteExactString
    }
  }

  /// The names, limits and formats of objects.
  struct Objects: Sendable {
    /// The media type of an object whose upload specified no media type.
    var contentType = "application/octet-stream"

    /// The storage classes of the service, the default class first.
    let storageClasses: [StorageClass]

    /// The range of allowed bandwidth limits, in bits per second.
    let trafficLimits: ClosedRange<Int64>

    /// Whether a copy source starts with a host that contains the bucket name, instead of the bucket name.
    var copySourceHasHost = false

    /// Whether a range that exceeds the object is ignored unless the request asks for the behavior of the HTTP standard.
    var ignoresExceedingRanges = false

    /// Whether entity tags have uppercase digits, and an object's tag is the digest of its parts' digits.
    ///
    /// The digests of other services have the bytes of the parts' tags, as the vendors' test suites show.
    var hasUppercaseTags = false

    /// Whether responses and listings tell normal objects from those that were uploaded in parts.
    var tellsType = false

    /// The name of the header with the CRC-64/ECMA of an object or part, or `nil` if the service has none.
    var crc64Header: String?

    /// Whether responses contain the MD5 of an object that was uploaded at once.
    var tellsMD5 = false

    /// The name of the header and parameter by which a read asks for checksums, or `nil` if it need not ask.
    var checksumMode: String?

    /// Whether the checksums of a request body are verified even if the operation ignores the body.
    var checksEveryBody = false

    /// The content encoding that frames a request body and is not stored, or `nil`.
    var framingEncoding: String?
  }

  /// The names and rules of buckets.
  struct Buckets: Sendable {
    var allowsDots = false

    /// The error code for creating a bucket that the caller already owns, or `nil` if creating it is no error.
    var ownCode: String?

    /// The prefix of a region's name in documents.
    var locationPrefix = ""

    /// The region whose buckets have an empty location and can be created again, if the service has such a region.
    ///
    /// Only this service compares the location constraint of a new bucket with its region.
    var firstRegion: String?

    /// The URI of the group of all users in access control documents, or `nil` if the documents name the access.
    var everybody: String?

    /// Whether a response about an object that has its bucket's access control has a header that says so.
    var tellsInheritedAccess = false
  }

  /// The limits, parameters and XML elements of listings.
  struct Listing: Sendable {
    /// The default maximum number of entries in a page.
    let defaultPageSize: Int

    /// The range of maximum numbers of entries that a request can specify.
    var pageSizes = 0...1000

    /// The query parameters and the XML element for the pages of the bucket list.
    var bucketMarker: ByteExactString = "marker"
    var bucketLimit: ByteExactString = "max-keys"
    var nextBucket = "NextMarker"
    let mostBuckets: Int

    /// The XML namespace of response documents, or `nil` if the documents have no namespace.
    var namespace: String?

    /// Whether responses omit elements for query parameters that the request does not contain.
    var omitsEmptyElements = false

    /// Whether `encoding-type=url` encodes names as forms do, with `+` for a space and without encoding slashes.
    var encodesNamesAsForms = false
  }

  /// The session policies of temporary credentials.
  struct Policies: Sendable {
    let language: PolicyLanguage

    /// The actions that allow form uploads, and reading the source object of a copy.
    let post: String
    let read: String

    /// The permission that each operation of the service requires.
    let needs: [Operation: Operation.Need]

    /// The suffix of a bucket's name in resource names.
    var bucketSuffix = ""

    init(
      _ language: PolicyLanguage, service: String, post: String, read: String, bucketSuffix: String = "",
      _ needs: [(action: String, target: Operation.Need.Target, operations: [Operation])]
    ) {
      (self.language, self.post, self.read) = (language, "\(service):\(post)", "\(service):\(read)")
      self.bucketSuffix = bucketSuffix
      self.needs = needs.reduce(into: [:]) { result, need in
        for operation in need.operations {
          result[operation] = Operation.Need("\(service):\(need.action)", on: need.target)
        }
      }
    }
  }

  /// The format of a temporary credential.
  ///
  /// The session token contains every special character of Base64, which reveals clients that fail to encode it.
  struct KeyFormat: Sendable {
    let idPrefix: String
    let idLength: Int
    var hasUppercaseID = false
    let secretLength: Int
    var tokenPrefix = ""
    var tokenLetters = 0
    let tokenByteCount: Int

    func makeKey(from start: Timestamp, until end: Timestamp) -> AccessKey {
      let letters = RandomText.letters(idLength)
      let token = tokenPrefix + RandomText.letters(tokenLetters) + "/+" + RandomText.base64(byteCount: tokenByteCount)
      return AccessKey(
        id: idPrefix + (hasUppercaseID ? letters.asciiUppercased : letters), secret: RandomText.letters(secretLength),
        sessionToken: "\(token)==", start: start, expiration: end)
    }
  }

  /// The error responses of the service.
  struct Errors: Sendable {
    /// The error response for an object key that is too long or contains a NUL character.
    var invalidKey = ErrorResponse(
      .badRequest, "InvalidObjectName", "The key has more than 1,023 bytes in UTF-8, or contains a NUL.")

    /// The error response for a request body that does not match its `Content-MD5`.
    let wrongDigest: ErrorResponse

    /// The error response for a copy whose source object does not meet the conditions of the request.
    let unchangedCopySource: ErrorResponse

    /// The error response for a copy of an object to itself without any change, or `nil` if such a copy is allowed.
    var unchangingCopy: ErrorResponse?

    /// The error response for a request without a signature.
    let anonymous: ErrorResponse

    /// The error response for a request that the session policy of the access key does not allow.
    let policy: ErrorResponse

    /// Whether both have an element with the server's time.
    var haveServerTime = false
  }
}

/// A storage class of a service, such as `Standard`.
struct StorageClass: Sendable {
  let name: String

  /// Whether an object with this storage class must be restored before it can be read.
  var isArchive = false
}

/// The behavior in which a simulated service differs from other services.
protocol ServiceBehavior: Sendable {
  /// Returns the verifier for signed requests and form uploads to the service.
  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier

  /// Returns the bucket, the object key and the query parameters of a request, as the service reads them.
  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget

  /// Returns the reader that removes the framing of a request body, or `nil` if the body is not framed.
  ///
  /// - Parameter request: The verified request.
  func bodyReader(of request: VerifiedRequest) -> (any BodyReader)?

  /// Returns the checks for the bytes of a request body or a copied object.
  ///
  /// - Parameters:
  ///   - headers: The headers of the request, or the fields of the form.
  ///   - operation: The operation of the request.
  ///   - rule: The checksum rule of the multipart upload that the body is a part of, if any.
  /// - Throws: An error response if the headers contradict each other.
  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(ErrorResponse) -> [any BodyCheck]

  /// Returns the checksum rule that headers specify for a multipart upload, or `nil` if they specify no rule.
  func checksumRule(of headers: HTTPFields) throws(ErrorResponse) -> ChecksumRule?

  /// Returns the checksum of an object that consists of parts, or `nil` if the service stores no checksum.
  ///
  /// - Parameters:
  ///   - content: The content of the object, without a checksum.
  ///   - parts: The parts of the object.
  ///   - elements: The elements of the request's document that list the parts.
  ///   - headers: The headers of the request.
  ///   - rule: The checksum rule of the multipart upload.
  /// - Throws: An error response if the document or the headers specify another checksum or length.
  func checksum(
    of content: Content, _ parts: [UploadedPart], listedBy elements: [XMLNode], _ headers: HTTPFields,
    _ rule: ChecksumRule
  ) throws(ErrorResponse) -> StoredChecksum?

  /// Returns the colon-separated parts of a resource name in policies.
  ///
  /// - Parameters:
  ///   - name: A bucket name, `bucket/key` for an object, or an empty string for the service.
  ///   - region: The region of the service.
  func resource(_ name: String, in region: String) -> [String]

  /// Splits the resource name of a role into its colon-separated parts, or returns `nil` if the name is invalid.
  func roleResource(_ arn: String) -> [String]?

  /// Returns a new request ID in the service's format.
  func makeRequestID(at date: Timestamp) -> String

  /// Returns the XML element that describes a bucket in the bucket list.
  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode

  /// Returns the error response if the request's host belongs to a region other than the bucket's, or `nil`.
  func redirection(of host: String, for bucket: String) -> ErrorResponse?

  /// Returns the error response for a request whose signature was rejected.
  func refusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse

  /// Returns the error response for a rejected form upload, or `nil` to use the error response for a request.
  func formRefusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse?

  /// Returns the HTTP response for an error, with the service's error document.
  func response(for error: ErrorResponse, to call: CallIdentity) -> Answer
}

/// The values that identify a request in the response to it.
struct CallIdentity: Sendable {
  let requestID: String
  let method: HTTPRequest.Method
  let host: String
  /// The path of the request target as it arrived, without the query.
  let path: String
  let date: Timestamp
}

extension ServiceBehavior {
  func bodyReader(of request: VerifiedRequest) -> (any BodyReader)? { nil }

  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(ErrorResponse) -> [any BodyCheck] { [] }

  func checksumRule(of headers: HTTPFields) throws(ErrorResponse) -> ChecksumRule? { nil }

  func checksum(
    of content: Content, _ parts: [UploadedPart], listedBy elements: [XMLNode], _ headers: HTTPFields,
    _ rule: ChecksumRule
  ) throws(ErrorResponse) -> StoredChecksum? { nil }

  func redirection(of host: String, for bucket: String) -> ErrorResponse? { nil }
}
