// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageJSON

extension Answer {
  /// Creates a response with a JSON document as its body.
  ///
  /// The media type is exactly `application/json`. One of the vendors' SDKs doesn't parse error documents with any
  /// other spelling.
  init(_ document: JSONValue, _ status: HTTPResponse.Status = .ok) {
    self.init(
      status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .bytes(document.serialized))
  }
}
