// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageJSON

/// The format in which an app server returns credentials.
public struct AppServerShape: Sendable {
  enum Kind: Sendable {
    case documents([AppServerDocument])
    case custom(@Sendable ([UInt8]) throws -> AccessKey)
  }

  let kind: Kind

  /// Detects the format among those of all services in this package.
  public static let automatic = AppServerShape(kind: .documents(known))

  /// The documents of all services; the last one is used for a response that none of them recognizes.
  static let known: [AppServerDocument] = [.s3, .oss, .cos]

  private init(kind: Kind) {
    self.kind = kind
  }

  init(_ document: AppServerDocument) {
    self.init(kind: .documents([document]))
  }

  /// Returns a format with a custom decoder.
  ///
  /// - Parameter decode: Decodes the body of a successful response. A `CredentialError` that it throws is passed on
  ///   unchanged; any other error becomes a malformed response, and its text is not shown.
  public static func custom(_ decode: @escaping @Sendable ([UInt8]) throws -> AccessKey) -> AppServerShape {
    AppServerShape(kind: .custom(decode))
  }
}

/// A JSON document in which an app server returns a key, in the format of one service.
struct AppServerDocument: Sendable {
  /// Returns whether an object has this format.
  let recognizes: @Sendable (JSONObject) -> Bool

  /// Reads the key from an object.
  let issued: @Sendable (AppServerAnswer, JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey>

  /// Reads the reason for a refusal, or `nil` if the object does not contain one.
  let refusal: @Sendable (AppServerAnswer, JSONObject) -> ServiceRefusal?
}
