// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// The JSON object that `sign` and `presign` print with `--json`.
enum SignedRequestJSON {
  /// Returns the object of a signed request, which `verify --request` reads too.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - url: The URL of the request.
  ///   - headers: The headers to send.
  ///   - explained: The signed strings, which are added with the session token masked, or `nil` without `--explain`.
  static func object(
    _ method: HTTPRequest.Method, _ url: String, _ headers: HTTPFields, explained: PendingSignature?
  ) -> JSONObject {
    var object: JSONObject = [
      "method": .string(method.rawValue), "url": .string(url),
      "headers": .array(headers.map { [.string($0.name.rawName), .string($0.value)] }),
    ]
    if let explained {
      let mask = SecretMask([explained.identity.sessionToken].compactMap(\.self))
      object["canonicalRequest"] = explained.canonicalRequest.map { .string(mask.applied(to: $0)) } ?? .null
      object["stringToSign"] = .string(mask.applied(to: explained.stringToSign))
    }
    return object
  }
}

extension HTTPRequest {
  /// The URL of the request, as it is sent.
  var urlText: String { "\(scheme ?? "https")://\(authority ?? "")\(path ?? "/")" }
}
