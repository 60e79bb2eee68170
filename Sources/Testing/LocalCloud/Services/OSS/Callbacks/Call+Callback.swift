// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// A callback that follows an upload, with what sends it.
struct CallbackPlan: Sendable {
  let callback: RequestedCallback
  let sender: CallbackSender
  /// The name of the operation, as the variable `operation` contains it.
  let operation: String
  let requestID: String
}

extension Gateway {
  /// Returns the plan for the callback of an upload, or `nil` if it asks for none.
  ///
  /// - Parameters:
  ///   - callback: The callback, parsed from the upload, or `nil`. It is parsed only if the server sends callbacks.
  ///   - isRequested: Whether the upload names a callback.
  func plan(
    _ operation: String, _ requestID: String, isRequested: Bool,
    _ callback: () throws(ErrorResponse) -> RequestedCallback?
  ) throws(ErrorResponse) -> CallbackPlan? {
    guard service.provider == .oss, isRequested else { return nil }
    guard let sender = context.callbacks else {
      throw .notImplemented(
        "This server sends no callbacks. Leave \(service.header("callback")) and \(service.header("callback-var")) out, or set "
          + "Configuration.callbacks.")
    }
    return try callback().map {
      CallbackPlan(callback: $0, sender: sender, operation: operation, requestID: requestID)
    }
  }

  /// Returns the plan for the callback of a request that uploads an object or completes a multipart upload.
  func plan(_ permit: Permit, _ head: HTTPRequest, _ requestID: String) throws(ErrorResponse) -> CallbackPlan? {
    let isRequested = ["callback", "callback-var"].contains { name in
      head.headerFields.first(service.header(name))?.isEmpty == false || permit.target[ByteExactString(name)] != nil
    }
    switch permit.operation {
    case .putObject, .completeUpload:
      return try plan(
        permit.operation == .putObject ? "PutObject" : "CompleteMultipartUpload", requestID, isRequested: isRequested
      ) { () throws(ErrorResponse) in try RequestedCallback(headers: head.headerFields, target: permit.target) }
    default: return nil
    }
  }
}

extension Call {
  /// Sends the callback that an upload asks for, and returns the response to the upload.
  ///
  /// - Parameters:
  ///   - object: The object that the upload stored.
  ///   - response: The response to the upload without a callback.
  /// - Returns: The response of the app's server with the headers of the upload's response, or `response` without a
  ///   callback.
  /// - Throws: `CallbackFailed` with the status 203, after which the object is stored.
  func calledBack(_ object: StoredObject, _ response: Answer) async throws -> Answer {
    guard let plan = callback else { return response }
    var response = response
    response.body = .bytes(try await plan.sender.send(plan.callback, values(of: object, plan)))
    response.status = .ok
    response.headers[.contentType] = "application/json"
    return response
  }

  /// Returns the values of the variables that OSS sets for a callback.
  ///
  /// This server reads no images and has no VPC, so that their variables are empty.
  private func values(of object: StoredObject, _ plan: CallbackPlan) -> RequestedCallback.Values {
    let mediaType = object.description.headers.first { $0.name == "Content-Type" }?.value
    let md5 = service.checksums(of: object.content)[.contentMD5]
    return [
      "bucket": .string(bucket), "object": .string(object.key.text),
      "etag": .string(object.content.entityTag.asciiUppercased),
      "size": .number(JSONNumber(object.content.byteCount)),
      "mimeType": .string(mediaType ?? service.objects.contentType),
      "crc64": .string(String(object.content.crc64)), "contentMd5": .string(object.isMultipart ? "" : md5 ?? ""),
      "clientIp": "127.0.0.1", "reqId": .string(plan.requestID), "operation": .string(plan.operation),
    ]
  }
}
