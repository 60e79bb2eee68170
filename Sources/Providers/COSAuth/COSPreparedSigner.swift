// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of requests to COS with one key in one validity window, which ``COSSigner/prepared(with:in:)`` creates.
public struct COSPreparedSigner: PreparedSigner {
  private let signer: COSSigner
  private let key: AccessKey
  private let token: HTTPField?
  /// The validity window with the signing key that has hashed the string to sign before the hash, or `nil` for an
  /// anonymous key.
  private let terms: (window: COSKeyTime, startedKey: HMACKey<SHA1>)?

  init(_ signer: COSSigner, _ key: AccessKey, window: COSKeyTime?) {
    self.signer = signer
    self.key = key
    token = key.tokenField(named: .cosSecurityToken)
    terms = window.map { window in
      (window, window.signingKey(of: key).startingMessages { $0.append(headOfStringToSignIn: window) })
    }
  }

  /// Returns the header fields that authorize a request.
  ///
  /// - Throws: The errors of `PreparedSigner.fields(for:)`, which also describes the parameters.
  @specialized(where Request == HTTPRequest)
  public func fields<Request: SignableRequest>(for request: Request) throws(SigningError) -> [HTTPField] {
    guard let terms else { return [] }
    return try signer.addedFields(
      for: request, with: key, token: token, during: terms.window, startedKey: terms.startedKey
    ).array
  }

  /// Signs a request by setting the fields in it.
  ///
  /// - Throws: The errors of `PreparedSigner.sign(_:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest) throws(SigningError) {
    guard let terms else { return }
    try request.addFields(withToken: token, named: .cosSecurityToken) { (request) throws(SigningError) in
      try signer.addedFields(
        for: request, with: key, token: token, during: terms.window, startedKey: terms.startedKey)
    }
  }
}

extension COSPreparedSigner: Redacted {
  /// The access key ID.
  public var description: String { "COSPreparedSigner(id: \(key.id))" }
}
