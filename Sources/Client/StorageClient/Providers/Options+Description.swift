// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// Returns a description of the options that are set, without header values, because a header value can be a secret
/// key.
private func described(_ type: String, _ settings: [(name: String, value: Any?)], _ headers: HTTPFields) -> String {
  let set = settings.compactMap { setting in setting.value.map { "\(setting.name): \($0)" } }
  let names = headers.isEmpty ? [] : ["headers: \(headers.map(\.name.rawName).joined(separator: ", "))"]
  return "\(type)(\((set + names).joined(separator: ", ")))"
}

extension UploadOptions: Redacted {
  /// The upload options that are set, and the names of the additional headers.
  public var description: String {
    described(
      "UploadOptions",
      [
        ("contentType", contentType), ("metadata", metadata.isEmpty ? nil : metadata), ("cacheControl", cacheControl),
        ("contentDisposition", contentDisposition), ("contentEncoding", contentEncoding),
        ("forbidOverwrite", forbidOverwrite ? true : nil),
        ("checksVersioning", checksVersioning ? true : nil), ("ifMatch", ifMatch), ("storageClass", storageClass),
      ], headers)
  }
}

extension DownloadOptions: Redacted {
  /// The download options that are set, and the names of the additional headers.
  public var description: String {
    described(
      "DownloadOptions",
      [
        ("range", range?.text), ("versionID", versionID), ("ifMatch", ifMatch), ("ifNoneMatch", ifNoneMatch),
        ("ifModifiedSince", ifModifiedSince), ("parameters", parameters.isEmpty ? nil : parameters),
      ], headers)
  }
}

extension CopyOptions: Redacted {
  /// The copy options that are set, and the names of the additional headers.
  public var description: String {
    described(
      "CopyOptions",
      [
        ("attributes", attributes), ("forbidOverwrite", forbidOverwrite ? true : nil),
        ("checksVersioning", checksVersioning ? true : nil),
      ], headers)
  }
}
