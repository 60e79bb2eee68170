// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import S3Auth
internal import StorageAuth

/// The S3-compatible interface of another service, at the same port and with the same buckets, objects and keys.
///
/// A request selects it with the signature of S3, in its headers or its URL.
struct S3Interface: ServiceBehavior {
  /// The differences between the interfaces of the services.
  ///
  /// None of them checks the region, has bodies in chunks, or deletes several objects without a Content-MD5.
  struct Rules: Sendable {
    /// The service's own hosts, which contain no bucket name.
    let hosts: ServiceHosts
    /// The storage classes of S3 that the service has, the default class first.
    let storageClasses: [StorageClass]
  }

  let rules: Rules
  private var own: any ServiceBehavior
  private let s3: SimulatedS3

  init(of own: any ServiceBehavior, _ rules: Rules, region: String) {
    (self.own, self.rules) = (own, rules)
    s3 = SimulatedS3(region: region)
  }

  var pathHosts: PathHosts {
    get { own.pathHosts }
    set { own.pathHosts = newValue }
  }

  /// Returns whether a request has a signature of S3, well-formed or not.
  static func isSelected(by head: HTTPRequest) -> Bool {
    if let authorization = head.headerFields[.authorization] { return authorization.hasBytePrefix("AWS") }
    let query = (head.path ?? "").parts(between: "?", atMost: 1).dropFirst().first ?? ""
    return query.parts(between: "&").contains { $0.hasBytePrefix("X-Amz-") }
  }

  func verifier(for configuration: LocalCloud.Configuration) -> any SignatureVerifier & FormVerifier {
    HostVerifier(region: nil, hosts: rules.hosts, pathHosts)
  }

  func target(of head: HTTPRequest) throws(VerificationError) -> RequestTarget {
    try HostVerifier(region: nil, hosts: rules.hosts, pathHosts).verifier(for: head).target(of: head)
  }

  func bodyChecks(
    of headers: HTTPFields, for operation: Operation, _ rule: ChecksumRule?
  ) throws(ErrorResponse) -> [any BodyCheck] {
    let payload = headers.first("x-amz-content-sha256").flatMap { S3Payload(header: $0) }
    if let payload, payload.isChunked {
      throw ErrorResponse(.badRequest, "NotImplemented", "Aws MultiChunkedEncoding \(payload.text) is not supported.")
    }
    if operation == .deleteObjects, headers.first("content-md5") == nil {
      throw .invalidRequest("Missing required header for this request: Content-MD5")
    }
    return try s3.bodyChecks(of: headers, for: operation, rule)
  }

  func checksumRule(of headers: HTTPFields) throws(ErrorResponse) -> ChecksumRule? { try s3.checksumRule(of: headers) }

  func checksum(
    of content: Content, _ parts: [UploadedPart], listedBy elements: [XMLNode], _ headers: HTTPFields,
    _ rule: ChecksumRule
  ) throws(ErrorResponse) -> StoredChecksum? {
    try s3.checksum(of: content, parts, listedBy: elements, headers, rule)
  }

  func resource(_ name: String, in region: String) -> [String] { own.resource(name, in: region) }

  func roleResource(_ arn: String) -> [String]? { own.roleResource(arn) }

  func makeRequestID(at date: Timestamp) -> String { own.makeRequestID(at: date) }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    s3.document(for: bucket, region: region, endpoint: endpoint)
  }

  func misaddressed(_ head: HTTPRequest) -> ErrorResponse? { own.misaddressed(head) }

  func refusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse { s3.refusal(error, at: date) }

  func formRefusal(_ error: VerificationError, at date: Timestamp) -> ErrorResponse? { s3.formRefusal(error, at: date) }

  func response(for error: ErrorResponse, to call: CallIdentity) -> Answer { s3.response(for: error, to: call) }
}

extension SimulatedService {
  /// Returns the service as its S3-compatible interface shows it, with the names of S3 and the service's own rules.
  func throughS3(_ rules: S3Interface.Rules, region: String) -> SimulatedService {
    let s3 = SimulatedService.s3(region: region)
    var headers = s3.headers
    headers.serverName = self.headers.serverName
    // Keys of the service's own key management have other names in each interface.
    headers.encryptions = ["AES256": []]
    var objects = objects
    objects.storageClasses = rules.storageClasses
    objects.copySourceHasHost = false
    objects.tellsType = false
    objects.crc64Header = nil
    objects.checksumMode = s3.objects.checksumMode
    objects.checksEveryBody = true
    objects.framingEncoding = s3.objects.framingEncoding
    var buckets = buckets
    buckets.groups = s3.buckets.groups
    buckets.tellsInheritedAccess = false
    return SimulatedService(
      provider: provider, endpoint: endpoint, description: .s3, operations: s3.operations,
      documents: s3.documents.compactMap { document in
        let own = documents.first { $0.parameter == document.parameter }
        return own.map {
          BucketDocument(
            document.parameter, document.root, document.unset, subject: $0.subject,
            deletion: document.deletion.map { _ in "Delete" })
        }
      },
      headerRules: s3.headerRules, headers: headers, signatures: s3.signatures, objects: objects, buckets: buckets,
      listing: s3.listing,
      policies: policies, keys: keys, errors: s3.errors,
      behavior: S3Interface(of: behavior, rules, region: region))
  }
}
