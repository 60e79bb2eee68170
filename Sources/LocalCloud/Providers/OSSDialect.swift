internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// What is particular to OSS.
struct OSSDialect: Dialect {
  let provider = LocalCloud.Provider.oss
  let headerPrefix = "x-oss-"
  let objectAccessHeader = "object-acl"
  let storageClasses = [
    StorageClass(name: "Standard"), StorageClass(name: "IA"), StorageClass(name: "Archive", isArchive: true),
    StorageClass(name: "ColdArchive", isArchive: true), StorageClass(name: "DeepColdArchive", isArchive: true),
  ]
  let encryptionHeaders = [
    "server-side-encryption", "server-side-encryption-key-id", "server-side-data-encryption",
  ]
  let encryptions: [String: Set<String>] = [
    "AES256": [], "SM4": [], "KMS": ["server-side-encryption-key-id", "server-side-data-encryption"],
  ]
  let trafficLimits: ClosedRange<Int64> = 245_760...838_860_800
  let headerRules = HeaderRules.oss
  let wrongDigest = ServiceError.invalidDigest("The Content-MD5 is not that of the body that arrived.")
  let defaultPageSize = 100
  let serverName = "AliyunOSS"
  let ownBucketCode: String? = nil

  /// 24 hexadecimal digits: the time, then chance.
  func makeRequestID(at date: Timestamp) -> String {
    (String(hexadecimal: UInt32(truncatingIfNeeded: date.unixSeconds))
      + String(hexadecimal: UInt64.random(in: 0 ... .max)))
      .asciiUppercased
  }

  func entityTag(_ tag: String) -> String { "\"\(tag.asciiUppercased)\"" }

  func signatureKind(of request: HTTPRequest, _ verified: VerifiedRequest) -> LocalCloud.SignatureKind {
    let isV4 =
      switch verified.placement {
      case .header: request.headerFields[.authorization]?.hasBytePrefix("OSS4") == true
      case .query: verified.wholeTarget.contains("x-oss-signature-version")
      }
    return isV4 ? .ossV4 : .ossV1
  }

  func anonymousRefusal(at date: Timestamp) -> ServiceError {
    .accessDenied("You have no right to access this object because of bucket acl.", ec: "0003-00000001")
  }

  func policyRefusal(at date: Timestamp) -> ServiceError {
    .accessDenied("Access denied by authorizer's policy.", ec: "0003-00000301")
  }

  /// The most bytes of each element of a refusal that goes into the header of an answer to HEAD.
  private static let headerEchoByteLimit = 256

  func answer(for error: ServiceError, to call: CallIdentity) -> Answer {
    // A header has less room than a body.
    let limit = call.method == .head ? Self.headerEchoByteLimit : .max
    var elements = [
      XMLNode("Code", error.code), XMLNode("Message", error.message.shortened(to: limit)),
      XMLNode("RequestId", call.requestID),
      XMLNode("HostId", call.host.shortened(to: min(limit, ServiceError.echoByteLimit))),
    ]
    elements += error.details.map { XMLNode($0.name, $0.value.shortened(to: limit)) }
    if let ec = error.ec { elements.append(XMLNode("EC", ec)) }
    let document = XMLNode("Error", children: elements).serialized()
    var answer = Answer(error.status)
    if let ec = error.ec { answer.headers.set("x-oss-ec", ec) }
    if call.method == .head {
      answer.headers.set("x-oss-err", String(writing: { $0.append(base64: document.span) }))
    } else {
      answer.headers[.contentType] = "application/xml"
      answer.body = .bytes(document)
    }
    return answer
  }

  func accessAnswer(_ access: AccessControl?) -> Answer {
    let grant = XMLNode("Grant", access?.rawValue ?? "default")
    return Answer(
      XMLNode("AccessControlPolicy", children: [owner, XMLNode("AccessControlList", children: [grant])]))
  }

  func document(for bucket: Bucket, region: String, endpoint: String) -> XMLNode {
    let extranet = "oss-\(region).aliyuncs.com"
    let intranet = endpoint == extranet ? "oss-\(region)-internal.aliyuncs.com" : endpoint
    return XMLNode(
      "Bucket",
      children: [
        XMLNode("Name", bucket.name), XMLNode("Location", "oss-\(region)"), XMLNode("Region", region),
        XMLNode("CreationDate", bucket.created.iso8601Milliseconds), XMLNode("ExtranetEndpoint", endpoint),
        XMLNode("IntranetEndpoint", intranet), XMLNode("StorageClass", standardClass),
      ])
  }
}
