// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The condition keys of a policy language that this server supports, each with the part of a request that it tests.
struct ConditionKeys: Sendable {
  /// The keys of the client's address, the current time, and whether the connection uses TLS.
  let address: String
  let time: String
  let transport: String

  /// The names of headers by condition key.
  let headers: [String: String]

  /// The names of query parameters by condition key.
  let parameters: [String: ByteExactString]

  /// The names of form fields by condition key.
  let formFields: [String: String]

  /// Whether only requests that list objects have the parameters.
  var onlyOfLists = true

  /// Whether an absent parameter counts as empty.
  var fillsAbsentParameters = false

  /// Whether policies compare parameters in the percent-encoded form of the URL.
  var encodesParameters = false

  /// Returns whether the language has a condition key.
  func contains(_ key: String) -> Bool {
    [address, time, transport].contains(key) || headers[key] != nil || parameters[key] != nil
  }

  /// Returns the values that all requests to a service share, by condition key.
  func facts(at date: Timestamp) -> [String: String] {
    [address: "127.0.0.1", time: date.iso8601, transport: "false"]
  }

  /// Returns the values of a request, by condition key.
  func facts(
    of head: HTTPRequest, for operation: Operation, _ target: RequestTarget, at date: Timestamp
  ) -> [String: String] {
    var facts = facts(at: date)
    for (key, name) in headers { facts[key] = head.headerFields.joined(name) }
    guard !onlyOfLists || operation == .listObjects || operation == .listObjectsV2 else { return facts }
    for (key, name) in parameters {
      let value = target[name]?.string ?? (fillsAbsentParameters ? "" : nil)
      facts[key] = encodesParameters ? value?.percentEncoded() : value
    }
    return facts
  }

  /// Returns the values of a form upload, by condition key.
  ///
  /// The length of the file is not known yet; the maximum length that the form allows is used instead.
  func facts(of form: VerifiedForm, at date: Timestamp) -> [String: String] {
    var facts = facts(at: date)
    for (key, name) in formFields {
      facts[key] =
        switch name {
        case "content-type": form.contentType
        case "content-length": form.sizes.upperBound == .max ? nil : "\(form.sizes.upperBound)"
        default: form.form[name]
        }
    }
    return facts
  }
}
