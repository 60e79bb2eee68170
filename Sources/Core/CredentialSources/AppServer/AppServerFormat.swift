// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The format in which an app server returns credentials.
public struct AppServerFormat: Sendable {
  enum Kind: Sendable {
    case documents([AppServerDocument])
    case custom(@Sendable ([UInt8]) throws -> AccessKey)
  }

  let kind: Kind

  /// A format that is detected automatically among the formats of all services in this package.
  public static let automatic = AppServerFormat(kind: .documents(known))

  /// The document formats of all services.
  ///
  /// The last format is used for a response that no format recognizes.
  static let known: [AppServerDocument] = [.s3, .oss, .cos]

  private init(kind: Kind) {
    self.kind = kind
  }

  init(_ document: AppServerDocument) {
    self.init(kind: .documents([document]))
  }

  /// Returns a format whose responses a closure decodes.
  ///
  /// - Parameter decode: A closure that decodes the body of a successful response. A `CredentialError` that the closure
  ///   throws is passed on unchanged. Any other error becomes the error `malformedAnswer`, which does not show the
  ///   original error's text.
  public static func custom(_ decode: @escaping @Sendable ([UInt8]) throws -> AccessKey) -> AppServerFormat {
    AppServerFormat(kind: .custom(decode))
  }
}

/// The format of a JSON document in which an app server returns an access key for one service.
struct AppServerDocument: Sendable {
  /// A closure that returns whether a JSON object has this format.
  let recognizes: @Sendable (JSONObject) -> Bool

  /// A closure that reads the access key from a JSON object in an app server's response.
  let issued: @Sendable (AppServerAnswer, JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey>

  /// A closure that reads the reason for a refusal from a JSON object, or returns `nil` if the object contains no
  /// reason.
  let refusal: @Sendable (AppServerAnswer, JSONObject) -> ServiceRefusal?
}
