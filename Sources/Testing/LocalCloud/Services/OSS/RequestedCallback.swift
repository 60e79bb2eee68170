// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth
internal import StorageCrypto

/// The callback that a client requests with an upload: where it goes, and what its body contains.
struct RequestedCallback: Sendable {
  typealias SystemVariables = [String: JSONValue]
  private static let urlLimit = 5
  /// The maximum size of the body, which a template can make many times as long as the request.
  private static let bodyByteLimit = 1 << 20
  let urls: [ServiceURL]
  private let template: CallbackTemplate
  private let format: UploadCallback.BodyFormat
  private let customVariables: [String: String]
  var mediaType: String { format.rawValue }

  init?(headers: HTTPFields, target: RequestTarget) throws(ErrorResponse) {
    let callback = headers[values: .ossCallback].first ?? target["callback"]?.string
    guard let callback, !callback.isEmpty else { return nil }
    let variables = headers[values: .ossCallbackVariables].first ?? target["callback-var"]?.string
    try self.init(callback, variables: Self.variables(in: variables ?? ""))
  }

  init?(_ form: SubmittedForm) throws(ErrorResponse) {
    guard let callback = form["callback"], !callback.isEmpty else { return nil }
    let fields = form.fields.filter { $0.name.hasBytePrefix("x:") }
    try self.init(
      callback, variables: Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
  }

  private init(_ base64: String, variables: [String: String]) throws(ErrorResponse) {
    let document = try Self.document(base64)
    guard let urlList = document["callbackUrl"]?.string, let body = document["callbackBody"]?.string, !body.isEmpty,
      let template = CallbackTemplate(body)
    else { throw .invalidArgument("The callback needs a callbackUrl and a callbackBody.") }
    let urlTexts = urlList.words(between: ";")
    let urls = urlTexts.compactMap { ServiceURL($0.firstRange(of: "://") == nil ? "http://\($0)" : String($0)) }
    guard (1...Self.urlLimit).contains(urlTexts.count), urls.count == urlTexts.count else {
      throw .invalidArgument("The callbackUrl is not a list of one to \(Self.urlLimit) URLs.")
    }
    let mediaType = try Self.text("callbackBodyType", in: document) ?? UploadCallback.BodyFormat.form.rawValue
    guard let format = UploadCallback.BodyFormat(rawValue: mediaType) else {
      throw .invalidArgument("The callbackBodyType is neither application/x-www-form-urlencoded nor application/json.")
    }
    let sni = document["callbackSNI"]
    guard sni == nil || sni?.bool != nil || ["true", "false"].contains(sni?.string) else {
      throw .invalidArgument("The callbackSNI is neither true nor false.")
    }
    let host = try Self.text("callbackHost", in: document)?.asciiLowercased
    guard host == nil || urls.allSatisfy({ $0.authority == host }) else {
      throw .notImplemented("This server sends a callback only with the host of its URL; leave callbackHost out.")
    }
    for name in variables.keys where !name.hasBytePrefix("x:") || name.asciiLowercased != name {
      throw .invalidArgument("The variable \(name) of the callback does not start with x: or is not in lowercase.")
    }
    (self.urls, self.template, self.format, customVariables) = (urls, template, format, variables)
  }

  private static func text(_ name: String, in document: JSONValue) throws(ErrorResponse) -> String? {
    guard let value = document[name] else { return nil }
    guard let text = value.string else { throw .invalidArgument("The \(name) is not text.") }
    return text
  }

  private static func document(_ base64: String) throws(ErrorResponse) -> JSONValue {
    guard let bytes = [UInt8](base64: base64), let document = try? JSONValue(parsing: bytes), document.object != nil
    else { throw .invalidArgument("The callback configuration is not json format.") }
    return document
  }

  private static func variables(in base64: String) throws(ErrorResponse) -> [String: String] {
    guard !base64.isEmpty else { return [:] }
    var variables: [String: String] = [:]
    for (name, value) in try document(base64).object ?? [:] {
      guard let value = value.code else { throw .invalidArgument("The value of the variable \(name) is not text.") }
      variables[name] = value
    }
    return variables
  }

  /// Returns the body of the callback, in which variables without a value are empty.
  func body(setting systemVariables: SystemVariables) throws(ErrorResponse) -> [UInt8] {
    var bytes: [UInt8] = []
    for piece in template.pieces {
      switch piece {
      case .text(let text): bytes += text.utf8
      case .variable(let name):
        let value = customVariables[name].map { .string($0) } ?? systemVariables[name] ?? .string("")
        switch format {
        case .json: bytes += value.serialized
        case .form: bytes += (value.code ?? "").percentEncoded().utf8
        }
      }
      guard bytes.count <= Self.bodyByteLimit else { throw .callbackFailed("The body of the callback is too large.") }
    }
    return bytes
  }
}
