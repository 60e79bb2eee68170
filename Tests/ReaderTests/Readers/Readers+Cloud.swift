// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import StorageCrypto

@testable import CredentialSources
@testable import LocalCloud

/// Readers of what LocalCloud parses of authenticated requests.
extension Reader {
  static let cloud = [operations, ranges, serviceCalls, answeredCalls, nodeCalls, setupOrders]

  private static let operations = Reader(
    name: "operations", growths: .none(because: "request-targets measures targets with their operations")
  ) { input, _ in
    guard let (request, _) = Samples.request(input) else { return false }
    var isRead = false
    for style in [AddressingStyle.path, .virtualHosted] {
      guard let target = try? RequestTarget(of: request, style: style) else { continue }
      for service in LocalCloud.Provider.allCases.map(\.service) {
        for isCopy in [false, true] {
          guard let operation = try? Operation(request.method, target, of: service, isCopy: isCopy) else { continue }
          isRead = true
          _ = service.policies.permissions[operation]
        }
      }
      if let key = target.key { _ = NodePath("\(key)") }
    }
    return isRead
  }

  private static let ranges = Reader(
    name: "ranges",
    growths: .inputs([
      "digits": { "bytes=0-" + repeated("1", to: $0) }, "hyphens": { "bytes=" + repeated("-", to: $0) },
      "tags": { repeated(#""a", "#, to: $0) }, "escapes": { "/photos/" + repeated("%61", to: $0) },
      "slashes": { repeated("/", to: $0) }, "question marks": { "/photos/a" + repeated("?versionId=", to: $0) },
    ])
  ) { input, _ in
    let text = text(input)
    for provider in LocalCloud.Provider.allCases { _ = try? NamedSource(text, of: provider.service) }
    var fields = HTTPFields()
    for name in [HTTPField.Name.ifMatch, .ifNoneMatch, .ifModifiedSince] { fields[name] = text }
    _ = Conditions(fields)
    guard let range = RequestedRange(text) else { return false }
    for byteCount in [0, 1, 100, Int64.max] {
      _ = range.lies(within: byteCount)
      guard let bytes = range.bytes(of: byteCount) else { continue }
      try require(bytes.lowerBound >= 0 && bytes.upperBound <= byteCount && !bytes.isEmpty, "a range is out of bounds")
    }
    return true
  }

  private static let authorizationGrowths = Growth.bytes([
    "many names": {
      "ACS3-HMAC-SHA256 Credential=a,SignedHeaders=\(numbered(to: $0, separator: ";") { "h\($0)" }),Signature=0"
    },
    "many parts": { "ACS3-HMAC-SHA256 " + repeated("a=b,", to: $0) },
    "blanks": { "TC3-HMAC-SHA256 " + repeated(" ", to: $0) },
  ]) { _ = ServiceAuthorization(String(decoding: $0, as: UTF8.self)) }

  private static let formGrowths = Growth.bytes([
    "many parameters": { numbered(to: $0, separator: "&") { "a\($0)=b" } },
    "one parameter again and again": { repeated("a=b&", to: $0) + "a=b" },
    "parameters of escapes": { numbered(to: $0, separator: "&") { "%61\($0)=%3D%26+" } },
    "separators": { repeated("&", to: $0) },
  ]) { body in
    var request = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1", path: "/")
    request.headerFields[.contentType] = "application/x-www-form-urlencoded"
    let call = InboundCall(request, body: body, requestID: "", at: Samples.now)
    _ = call.names(inHeaders: "x-acs-")
  }

  /// Parses calls like the token services, the metadata services and the node.
  private static let serviceCalls = Reader(name: "service-calls", growths: .rows(authorizationGrowths + formGrowths)) {
    input, _ in
    guard let (request, body) = Samples.request(input) else { return false }
    let call = InboundCall(request, body: body, requestID: "1", at: Samples.now)
    _ = (call.names(inHeaders: "x-acs-"), call.path, call.authorization, ServiceAuthorization(call.authorization ?? ""))
    return call.parameters != nil
  }

  private static let configuration = LocalCloud.Configuration(
    accounts: [.init(Samples.key)], services: .init(identityTokens: [Secret(Samples.token)]),
    aspera: .init(users: [.init("node", password: Secret(Samples.secret))]), clock: { Samples.now })

  /// Lets the token services, the app server and the metadata respond to calls of untrusted clients.
  private static let answeredCalls = Reader(
    name: "answered-calls",
    growths: .none(because: "service-calls and node-calls measure what calls consist of")
  ) { input, random in
    guard let (request, body) = Samples.request(input) else { return false }
    let issuer = Issuer(configuration.services, CloudContext(configuration))
    let desks: [any SynchronousAPIHandler] = [
      AlibabaSTS(issuer: issuer), TencentSTS(issuer: issuer),
      Metadata(issuer: issuer, requiresToken: true), AppServer(issuer: issuer, token: Secret(Samples.token)),
    ]
    let call = InboundCall(request, body: body, requestID: "1", at: Samples.now)
    let desk = random.pick(desks)
    do throws(ErrorResponse) {
      _ = try desk.response(to: call)
      return true
    } catch {
      try requireNoSecret(in: "\(desk.response(for: error, to: call))", of: input)
      return false
    }
  }

  private static let nodeCallGrowths = Growths.bytes([
    "long base64": { "Basic " + repeated("YTpi", to: $0) }, "colons": { "Basic " + repeated("Ojo6", to: $0) },
    "a long bearer token": { "Bearer " + repeated("eJx", to: $0) },
  ]) { bytes in
    var request = HTTPRequest(method: .get, scheme: "https", authority: "127.0.0.1", path: "/ops/transfers")
    request.headerFields[.authorization] = String(decoding: bytes, as: UTF8.self)
    if let name = HTTPField.Name("X-Aspera-AccessKey") { request.headerFields[name] = "key" }
    let call = InboundCall(request, body: [], requestID: "", at: Samples.now)
    _ = try? NodeAuthenticator(directory: NodeDirectory(LocalCloud.Configuration(accounts: []))).caller(of: call)
    if let token = String(decoding: bytes, as: UTF8.self).split(separator: " ").last {
      _ = try? NodeBearerToken(Secret(String(token)))
    }
  }

  /// Authenticates a caller of the node; authentication requires the secret of the key or the user.
  private static let nodeCalls = Reader(name: "node-calls", growths: nodeCallGrowths) { input, _ in
    guard let (request, body) = Samples.request(input) else { return false }
    let authenticator = NodeAuthenticator(directory: NodeDirectory(configuration))
    let call = InboundCall(request, body: body, requestID: "1", at: Samples.now)
    _ = NodeRoute(request.method, call.path)
    if let query = try? NodeQuery(call) {
      _ = try? (
        query.page(of: [1, 2, 3], limit: 2), query.time("after_time"), query.pattern("name_glob")?.matches("a")
      )
    }
    do throws(ErrorResponse) {
      _ = try authenticator.caller(of: call)
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return false
    }
    let proof = call.authorization.flatMap { [UInt8](base64: String($0.dropFirst(6))) } ?? []
    try require(text(proof).contains(Samples.secret), "a caller without a secret is authenticated")
    return true
  }

  private static let setupGrowths = Growths.inputs([
    "many requests": { size in
      let one = #"{"transfer_request":{"paths":[{"source":"/a"}]}}"#
      return #"{"transfer_requests":[\#(repeated(one + ",", to: size))\#(one)]}"#
    },
    "many paths": { size in
      #"{"transfer_request":{"paths":[\#(numbered(to: size, separator: ",") { #"{"source":"/a\#($0)"}"# })]}}"#
    },
    "a long path": { #"{"transfer_request":{"paths":[{"source":"/\#(repeated("../a/", to: $0))"}]}}"# },
    "many keys": { size in
      #"{"transfer_request":{"paths":[{"source":"/a"}],"public_keys":[\#(repeated(#""k","#, to: size))"k"]}}"#
    },
  ])

  private static let setupOrders = Reader(name: "setup-orders", growths: setupGrowths) { input, random in
    guard let document = try? JSONValue(parsing: input) else { return false }
    var isRead = false
    for element in document["transfer_requests"]?.array ?? [document] {
      guard let order = try? TransferRequest(random.pick([.send, .receive]), in: element, below: .root) else {
        continue
      }
      isRead = true
      if let lifetime = try? order.lifetime { _ = Samples.now.advanced(by: lifetime).iso8601 }
      _ = (try? EntryFilter(element), AccessLevels(element["access_levels"]))
      _ = (try? order.locations, order.responsePaths, order.responseRoot, order.publicKeys)
    }
    return isRead
  }
}
