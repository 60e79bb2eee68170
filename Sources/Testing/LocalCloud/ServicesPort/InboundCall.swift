// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth

/// A request with its whole body, to a service that isn't a storage service.
struct InboundCall: Sendable {
  let call: ServiceCall
  let requestID: String
  let date: Timestamp
  /// The parameters in the query and in a form in the body, or `nil` if a parameter cannot be decoded.
  let pairs: [FormPair]?
  /// The parameters by their names, or `nil` if a parameter cannot be decoded or occurs twice.
  var parameters: [String: String]?

  init(_ request: HTTPRequest, body: [UInt8], requestID: String, at date: Timestamp) {
    call = ServiceCall(request, body: body)
    self.requestID = requestID
    self.date = date
    var text = call.query
    let type = request.headerFields[.contentType]?.asciiLowercased ?? ""
    if type.hasBytePrefix("application/x-www-form-urlencoded"), !body.isEmpty {
      text += "&" + String(decoding: body, as: UTF8.self)
    }
    pairs = FormPair.read(text)
    if let pairs {
      let values = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
      if values.count == pairs.count { parameters = values }
    }
  }

  /// Returns the value of a parameter, or `nil` if it is missing or empty, or the parameters cannot be read.
  subscript(parameter: String) -> String? { parameters?[parameter].flatMap { $0.isEmpty ? nil : $0 } }

  var request: HTTPRequest { call.request }
  var path: String { Self.path(of: request) }
  var authorization: String? { header("authorization") }

  /// Returns the value of a request header, or `nil` if the header is missing or occurs more than once.
  func header(_ name: String) -> String? {
    let values = HTTPField.Name(name).map { request.headerFields[values: $0] } ?? []
    return values.count == 1 ? values[0] : nil
  }

  /// Returns the action and version in the headers with a prefix such as `x-acs-`, or in the parameters.
  ///
  /// The headers are ignored if the signature is in the parameters, because it does not cover them.
  func names(inHeaders prefix: String) -> (action: String?, version: String?) {
    let readsHeaders = self["Signature"] == nil
    func name(_ header: String, _ parameter: String) -> String? {
      (readsHeaders ? self.header(prefix + header) : nil) ?? self[parameter]
    }
    return (name("action", "Action"), name("version", "Version"))
  }

  static func path(of request: HTTPRequest) -> String { String((request.path ?? "").bytes(before: "?")) }
}
