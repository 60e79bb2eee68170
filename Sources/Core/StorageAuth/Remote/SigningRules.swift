// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageCrypto

/// The rules that a server applies when it signs strings for one caller.
public struct SigningRules: Sendable {
  /// The caller's access policy, which must allow the operation of the request to sign.
  public var policy: AccessPolicy

  /// The maximum validity of a signature that contains its expiration.
  ///
  /// It is counted from now, or from the signature's own date if this is later, because the client's clock may be fast.
  public var lifetime: Duration

  /// The maximum difference between a request's date and the server's clock; the services accept 15 minutes.
  public var clockTolerance: Duration

  /// The address from which the caller sends its requests to the storage service, or `nil` if it is not known.
  ///
  /// Policies that restrict addresses need the caller's address.
  public var address: NetworkAddress?

  /// Creates the rules for signing one caller's strings.
  ///
  /// - Parameters:
  ///   - policy: The caller's access policy.
  ///   - lifetime: The maximum validity of a signature that contains its expiration.
  ///   - clockTolerance: The maximum difference between a request's date and the server's clock.
  ///   - address: The address from which the caller sends its requests, or `nil` if it is not known.
  public init(
    _ policy: AccessPolicy, lifetime: Duration = .seconds(3600),
    clockTolerance: Duration = VerificationLimits.clockTolerance, from address: NetworkAddress? = nil
  ) {
    self.policy = policy
    self.lifetime = lifetime
    self.clockTolerance = clockTolerance
    self.address = address
  }

  /// Throws an error if a request to sign violates the rules, or was prepared for another key.
  package func check(_ intent: AuthorizedRequest, with key: AccessKey, at date: Timestamp) throws(SigningRefusal) {
    try intent.check(key)
    try checkTime(of: intent, with: key, at: date)
    let last = intent.expiration ?? max(intent.date ?? date, date)
    for operation in try RequestedOperation.readings(of: intent) {
      do throws(AccessRefusal) {
        try policy.check(
          AccessRequest(
            operation.action, operation.key, in: operation.bucket, size: operation.size,
            contentType: operation.contentType, from: address, at: last))
      } catch {
        throw SigningRefusal(
          .notAllowed, "\(error)", remedy: "Request only what the policy allows, or have the policy changed.")
      }
    }
  }

  private func checkTime(of intent: AuthorizedRequest, with key: AccessKey, at now: Timestamp) throws(SigningRefusal) {
    if let date = intent.date {
      // A validity window may have begun long ago, but it must not begin later than now.
      let isEarly = date < now.advanced(by: .zero - clockTolerance) && !intent.signableNames.datesWindows
      guard !isEarly, date <= now.advanced(by: clockTolerance) else {
        throw SigningRefusal(
          .clockSkew, "The request is dated \(date), and it is \(now).", remedy: "Set the clock of the client.")
      }
    }
    guard let end = intent.expiration else { return }
    guard end > now else {
      throw SigningRefusal(
        .lifetime, "The signature would have expired at \(end).", remedy: "Set the clock of the client.")
    }
    let start = max(intent.date ?? now, now)
    guard end <= start.advanced(by: lifetime) else {
      throw SigningRefusal(
        .lifetime, "The signature would be valid until \(end), which is more than \(lifetime) from now.",
        remedy: "Ask for a shorter lifetime.")
    }
    if let last = key.expiration, end > last {
      throw SigningRefusal(
        .lifetime, "The signature would be valid until \(end), and the key expires at \(last).",
        remedy: "Ask for a shorter lifetime.")
    }
  }
}

/// The operation of a request to sign, reduced to the properties that an access policy checks.
///
/// Only operations that this type recognizes are signed remotely; other parameters or headers may change the operation.
struct RequestedOperation {
  let action: AccessAction
  let bucket: String
  let key: String
  var size: Int64?
  var contentType: String?

  /// Returns every operation that the service may perform for the signature; the policy must allow all of them.
  static func readings(of intent: AuthorizedRequest) throws(SigningRefusal) -> [RequestedOperation] {
    try intent.checkHeaders()
    var operations = [try RequestedOperation(intent)]
    for target in intent.otherTargets { operations.append(try RequestedOperation(intent.with(target))) }
    return operations
  }

  private init(_ intent: AuthorizedRequest) throws(SigningRefusal) {
    guard let bucket = intent.target.bucket?.string, intent.signableNames.isBucketName(bucket) else {
      throw .unknownOperation("The request has no valid bucket name.")
    }
    guard let key = intent.target.key?.string else {
      try self.init(onBucket: bucket, intent)
      return
    }
    try self.init(on: key, in: bucket, intent)
  }

  private init(on key: String, in bucket: String, _ intent: AuthorizedRequest) throws(SigningRefusal) {
    let query = try RequestedQuery(intent)
    self.key = key
    self.bucket = bucket
    switch intent.method {
    case .get, .head:
      if intent.method == .get, query.contains("uploadId") {
        try query.allow("uploadId", "max-parts", "part-number-marker", "encoding-type")
        try query.checkUpload()
        action = .write
        return
      }
      try query.allow(
        "response-cache-control", "response-content-disposition", "response-content-encoding",
        "response-content-language", "response-content-type", "response-expires", "versionId", "objectMeta")
      action = .read
    case .put:
      action = .write
      guard !query.isEmpty else {
        size = try intent.size
        contentType = intent.headers[.contentType]
        return
      }
      try query.allow("partNumber", "uploadId")
      try query.checkUpload()
      try query.checkPart()
    case .post:
      action = .write
      if query.contains("uploads") {
        try query.allow("uploads")
        try query.checkFlag("uploads")
      } else {
        try query.allow("uploadId")
        try query.checkUpload()
      }
    case .delete:
      guard !query.isEmpty else {
        action = .delete
        return
      }
      try query.allow("uploadId")
      try query.checkUpload()
      action = .write
    default: throw .unknownOperation("The method has no operation on an object.")
    }
  }

  /// Creates the operation of a request on a bucket: a listing, an unsigned form upload, or a deletion of many objects.
  ///
  /// The keys to delete are in the body, which may be unsigned; the caller must be allowed to delete every key.
  private init(onBucket bucket: String, _ intent: AuthorizedRequest) throws(SigningRefusal) {
    let query = try RequestedQuery(intent)
    self.bucket = bucket
    switch intent.method {
    case .get:
      try query.allow(
        "prefix", "delimiter", "marker", "max-keys", "encoding-type", "list-type", "continuation-token", "start-after",
        "fetch-owner")
      action = .list
      key = query["prefix"] ?? ""
    case .post where query.isEmpty && intent.signableNames.uploadsUnsignedForms:
      // An older form upload sends this signature as a form field and may use any object key.
      action = .write
      key = ""
    case .post:
      try query.allow("delete")
      try query.checkFlag("delete")
      action = .delete
      key = ""
    default: throw .unknownOperation("The method has no operation on a bucket that can be signed.")
    }
  }
}

extension AuthorizedRequest {
  /// The value of the signed Content-Length header in bytes, or `nil` if the header is not signed.
  fileprivate var size: Int64? {
    get throws(SigningRefusal) {
      guard let text = headers[.contentLength] else { return nil }
      guard let size = Int64(digits: text) else { throw .malformed("The signed Content-Length is not a number.") }
      return size
    }
  }

  /// Checks that no signed header changes the operation or its authorization, such as a request for a copy.
  fileprivate func checkHeaders() throws(SigningRefusal) {
    if let md5 = headers[.contentMD5], [UInt8](base64: md5)?.count != MD5.digestByteCount {
      throw .malformed("The Content-MD5 is not an MD5 digest in Base64.")
    }
    let refusal = SigningRefusal.unknownOperation("A header changes the operation of the request, or is unknown.")
    for field in headers {
      let name = field.name.canonicalName
      guard name != "authorization", !signableNames.refusedHeaders.contains(name) else { throw refusal }
      guard let rest = name.removingBytePrefix(signableNames.headerPrefix).map(String.init) else {
        guard !name.hasBytePrefix("x-") else { throw refusal }
        continue
      }
      guard rest.hasBytePrefix("meta-") || signableNames.harmlessHeaders.contains(rest) else { throw refusal }
    }
  }

  fileprivate func with(_ target: RequestTarget) -> AuthorizedRequest {
    AuthorizedRequest(
      scheme, method: method, target: target, headers: headers, placement: placement, date: date,
      expiration: expiration, accessKeyID: accessKeyID, sessionToken: sessionToken, signableNames: signableNames)
  }
}

/// The signed query parameters of a request, in which each name appears once.
package struct RequestedQuery {
  private let values: [ByteExactString: String]
  /// Whether the parameter names were converted to lowercase before signing.
  private let isLowered: Bool

  init(_ intent: AuthorizedRequest) throws(SigningRefusal) {
    var values: [ByteExactString: String] = [:]
    for parameter in intent.target.parameters {
      guard values.updateValue(parameter.value?.string ?? "", forKey: parameter.name) == nil else {
        throw .unknownOperation("A parameter appears twice.")
      }
    }
    self.values = values
    isLowered = intent.signableNames.ignoresParameterCase
  }

  var isEmpty: Bool { values.isEmpty }

  subscript(name: ByteExactString) -> String? { values[isLowered ? name.asciiLowercased : name] }

  func contains(_ name: ByteExactString) -> Bool { self[name] != nil }

  func allow(_ names: ByteExactString...) throws(SigningRefusal) {
    let known = Set(isLowered ? names.map(\.asciiLowercased) : names)
    guard values.keys.allSatisfy(known.contains) else {
      throw .unknownOperation("A parameter changes the operation of the request, or is unknown.")
    }
  }

  /// Throws an error if a query parameter is missing, or has a value although it must not have a value.
  func checkFlag(_ name: ByteExactString) throws(SigningRefusal) {
    guard self[name] == "" else { throw .unknownOperation("The parameter \(name) is missing, or has a value.") }
  }

  /// Throws an error unless the upload ID is visible ASCII, because a service may ignore an invalid one.
  func checkUpload() throws(SigningRefusal) {
    guard let id = self["uploadId"], !id.isEmpty, id.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f }) else {
      throw .unknownOperation("The upload ID is missing or invalid.")
    }
  }

  func checkPart() throws(SigningRefusal) {
    guard let number = self["partNumber"], Self.isPartNumber(number) else {
      throw .unknownOperation("The part number is missing or invalid.")
    }
  }

  /// Returns whether a string is a part number from 1 to 10,000 in canonical decimal form.
  package static func isPartNumber(_ text: String) -> Bool {
    (1...10_000).contains(Int(digits: text) ?? 0) && Int(digits: text)?.description == text
  }
}
