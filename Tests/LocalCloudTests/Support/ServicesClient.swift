// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import COSAuth
internal import CredentialSources
internal import HTTPTypes
internal import LocalCloud
internal import NIOCore
internal import NIOHTTP1
internal import OSSAuth
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

/// Signs and sends calls to the token services of a server, and requests credentials from its app server and metadata.
struct ServicesClient: Sendable {
  private static let lastNonce = Lock(0)

  let cloud: LocalCloud
  let clock: TestClock
  var key = CloudTestCase.key

  /// A nonce that no other call has.
  static func nonce() -> String {
    lastNonce.withLock { number in
      number += 1
      return "nonce-\(number)"
    }
  }

  /// An unsigned call with its parameters in the query.
  func call(
    _ method: HTTPRequest.Method, _ path: String = "/", query: [String: String] = [:], headers: [String: String] = [:],
    body: String = ""
  ) -> ServiceCall {
    let pairs = FormPair.written(query.sorted { $0.key < $1.key }.map { FormPair($0.key, $0.value) })
    var request = HTTPRequest(
      method: method, scheme: "http", authority: cloud.servicesEndpoint.authority,
      path: pairs.isEmpty ? path : "\(path)?\(pairs)")
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { request.headerFields[name] = value }
    }
    return ServiceCall(request, body: Array(body.utf8))
  }

  /// A call of Alibaba Cloud STS, signed with ACS3.
  func acs3(
    _ parameters: [String: String], action: String = "AssumeRole", nonce: String = nonce()
  ) throws -> ServiceCall {
    let call = call(
      .post, query: parameters,
      headers: ["x-acs-action": action, "x-acs-version": "2015-04-01", "x-acs-signature-nonce": nonce])
    return try ACS3Signer().signed(call, with: key, in: .at(clock.now))
  }

  /// A call of Alibaba Cloud STS whose signature is one of its parameters (RPC).
  func rpc(_ parameters: [String: String], changing change: (inout [String: String]) -> Void = { _ in }) -> ServiceCall
  {
    var all = parameters
    all["Action"] = "AssumeRole"
    all["Version"] = "2015-04-01"
    all["Format"] = "JSON"
    all["AccessKeyId"] = key.id.string
    all["SignatureMethod"] = "HMAC-SHA1"
    all["SignatureVersion"] = "1.0"
    all["SignatureNonce"] = Self.nonce()
    all["Timestamp"] = clock.now.iso8601
    all["SecurityToken"] = key.sessionToken?.reveal()
    let text = RPCSignature.stringToSign(method: "POST", parameters: all.map { FormPair($0.key, $0.value) })
    all["Signature"] = RPCSignature.signature(of: text, secret: key.secret)
    change(&all)
    return call(
      .post, headers: ["content-type": "application/x-www-form-urlencoded"],
      body: FormPair.written(all.map { FormPair($0.key, $0.value) }))
  }

  /// A call of Tencent Cloud STS, signed with TC3.
  func tc3(_ action: String, _ json: String) throws -> ServiceCall {
    let call = call(
      .post,
      headers: ["content-type": "application/json", "X-TC-Action": action, "X-TC-Version": "2018-08-13"], body: json)
    return try TC3Signer(service: "sts").signed(call, with: key, in: .at(clock.now))
  }

  /// A call of Tencent Cloud STS whose signature is one of its parameters (V1).
  func v1(_ parameters: [String: String], method: String? = nil) -> ServiceCall {
    var all = parameters
    all["Version"] = "2018-08-13"
    all["SecretId"] = key.id.string
    all["Nonce"] = "4711"
    all["Region"] = "ap-guangzhou"
    all["Timestamp"] = String(clock.now.unixSeconds)
    all["SignatureMethod"] = method
    all["Token"] = key.sessionToken?.reveal()
    let text = TencentV1Signature.stringToSign(
      method: "POST", host: cloud.servicesEndpoint.authority, parameters: all.map { FormPair($0.key, $0.value) })
    all["Signature"] = TencentV1Signature.signature(of: text, secret: key.secret, method: method)
    return call(
      .post, headers: ["content-type": "application/x-www-form-urlencoded"],
      body: FormPair.written(all.map { FormPair($0.key, $0.value) }))
  }

  /// A call of AWS STS, signed in its headers.
  func sts(_ parameters: [String: String], service: String = "sts", region: String = "us-east-1") throws -> ServiceCall
  {
    var all = ["Version": "2011-06-15", "RoleArn": LocalCloud.Role.amazon.arn, "RoleSessionName": "alice"]
    all.merge(parameters) { $1 }
    var call = call(
      .post, headers: ["content-type": "application/x-www-form-urlencoded; charset=utf-8"],
      body: FormPair.written(all.map { FormPair($0.key, $0.value) }))
    let signer = S3Signer(region: region, service: service, payload: .bytes(call.body))
    call.request = try signer.signed(call.request, with: key, in: .at(clock.now))
    return call
  }

  /// Sends a call without changing it.
  func send(_ call: ServiceCall) async throws -> Reply {
    var wire = HTTPClientRequest(url: cloud.servicesURL + (call.request.path ?? "/"))
    wire.method = HTTPMethod(rawValue: call.request.method.rawValue)
    for field in call.request.headerFields { wire.headers.add(name: field.name.rawName, value: field.value) }
    if !call.body.isEmpty { wire.body = .bytes(ByteBuffer(bytes: call.body)) }
    return try await Reply(wire)
  }
}
